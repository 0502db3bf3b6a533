#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives between the ranks of one machine beside XLA's in-process ones, torch's gloo, and Open MPI.

    collectives.py --jax PYTHON [--torch PYTHON] [--mpi] [--bin build/bin] [--ranks N] [--rounds 3] [--largest 67108864] [KIND...]

PYTHON are interpreters with jax and numpy, and with torch; --mpi compiles a C program by mpicc and runs it by mpirun. KINDs are all_reduce,
all_gather, reduce_scatter and all_to_all (default: all), of f32. Bytes are those of a rank's larger side. dmc and XLA run the same program of one
collective with ranks that are threads, gloo and MPI processes of one thread; a round takes every engine in turn. Printed are microseconds, medians over
the rounds, and the ratio of the best peer's time to dmc's (above 1: dmc is faster), by rounds. Each engine checks its own results against
their formula; exits 1 if one is wrong.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from engines import ROOT, child, features, measure, spread

HERE = pathlib.Path(__file__).resolve()
KINDS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def sizes_of(args):
    """From 4 KB in steps of 16, and the largest."""
    sizes = [4096]
    while sizes[-1] * 16 < args.largest:
        sizes.append(sizes[-1] * 16)
    return sizes + ([args.largest] if args.largest > sizes[-1] else [])


def elements_of(kind, size, ranks):
    """Of a rank's operand; all blocks are whole."""
    block = max(1, size // (4 * ranks))
    return block if kind == "all_gather" else block * ranks


def make_operands(kind, count, ranks):
    """Row r is rank r's. Small integers, so that sums are exact in any order."""
    import numpy as np
    return (np.arange(ranks * count, dtype=np.int64).reshape(ranks, count) % 13 + np.arange(ranks)[:, None]).astype(np.float32)


def expected(kind, operands):
    """Row r is rank r's result."""
    import numpy as np
    ranks = len(operands)
    if kind == "all_reduce":
        return np.stack([operands.sum(0)] * ranks)
    if kind == "all_gather":
        return np.stack([operands.reshape(-1)] * ranks)
    if kind == "reduce_scatter":
        return operands.sum(0).reshape(ranks, -1)
    return np.concatenate([operands.reshape(ranks, ranks, -1)[:, r][None] for r in range(ranks)]).reshape(ranks, -1)


def check(kind, operands, got):
    import numpy as np
    if not np.array_equal(np.asarray(got).reshape(-1), expected(kind, operands).reshape(-1)):
        sys.exit(f"wrong result of {kind}")


def child_xla(args):
    """Also writes the programs and the arguments for dmc."""
    import numpy as np
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
    times, folder = {}, pathlib.Path(args.folder)
    mesh = Mesh(np.array(jax.devices()[:args.ranks]), ("r",))
    bodies = {"all_reduce": lambda x: jax.lax.psum(x, "r"), "all_gather": lambda x: jax.lax.all_gather(x[0], "r", tiled=True)[None],
              "reduce_scatter": lambda x: jax.lax.psum_scatter(x[0], "r", tiled=True)[None],
              "all_to_all": lambda x: jax.lax.all_to_all(x[0].reshape(args.ranks, -1), "r", 0, 0).reshape(1, -1)}
    for kind in args.kinds:
        for size in sizes_of(args):
            operands = make_operands(kind, elements_of(kind, size, args.ranks), args.ranks)
            step = jax.jit(jax.shard_map(bodies[kind], mesh=mesh, in_specs=P("r", None), out_specs=P("r", None), check_vma=False))
            x = jax.device_put(operands, NamedSharding(mesh, P("r", None)))
            check(kind, operands, step(x))
            own = folder / f"{kind}-{size}"
            (own / "in").mkdir(parents=True, exist_ok=True)
            (own / "expected").mkdir(exist_ok=True)
            (own / "step.mlir").write_text(step.lower(x).as_text())
            np.save(own / "in/000.npy", operands)
            np.save(own / "expected/000.npy", expected(kind, operands))
            times[f"{kind} {size}"] = 1e3 * measure(lambda: jax.block_until_ready(step(x)), args.seconds)
    return times


def gloo_rank(rank, args, queue):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{args.folder}/gloo", rank=rank, world_size=args.ranks)
    times = {}
    for kind in args.kinds:
        for size in sizes_of(args):
            count = elements_of(kind, size, args.ranks)
            operands = make_operands(kind, count, args.ranks)
            mine = torch.from_numpy(operands[rank])
            result = mine.clone() if kind == "all_reduce" else torch.empty(
                {"all_gather": count * args.ranks, "reduce_scatter": count // args.ranks, "all_to_all": count}[kind])
            run = {"all_reduce": lambda: dist.all_reduce(result), "all_gather": lambda: dist.all_gather_into_tensor(result, mine),
                   "reduce_scatter": lambda: dist.reduce_scatter_tensor(result, mine.clone()),
                   "all_to_all": lambda: dist.all_to_all_single(result, mine)}[kind]
            run()
            if result.numpy().tolist() != expected(kind, operands)[rank].tolist():
                sys.exit(f"wrong result of gloo's {kind}")
            result.zero_()  # sums of sums would grow without end
            steps = max(5, min(200, int(args.seconds * 5e8 / size)))
            import time
            taken = []
            for _ in range(steps):
                dist.barrier()
                start = time.perf_counter()
                run()
                taken.append(1e6 * (time.perf_counter() - start))
            times[f"{kind} {size}"] = statistics.median(taken)
    if rank == 0:
        queue.put(times)
    dist.destroy_process_group()


def child_gloo(args):
    import torch.multiprocessing as processes
    context = processes.get_context("spawn")
    queue = context.Queue()
    pathlib.Path(args.folder, "gloo").unlink(missing_ok=True)
    ranks = [context.Process(target=gloo_rank, args=(rank, args, queue)) for rank in range(args.ranks)]
    for process in ranks:
        process.start()
    times = None
    while times is None and all(p.exitcode in (None, 0) for p in ranks):
        try:
            times = queue.get(timeout=1)
        except Exception:  # nothing yet
            pass
    for process in ranks:
        process.join()
    if any(process.exitcode for process in ranks):
        sys.exit("a rank of gloo failed")
    return times


MPI_SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* bench KIND COUNT STEPS: COUNT floats of a rank's operand. */
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, count = atoi(argv[2]), steps = atoi(argv[3]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int gathers = !strcmp(argv[1], "all_gather"), scatters = !strcmp(argv[1], "reduce_scatter"), reduces = !strcmp(argv[1], "all_reduce");
  int results = gathers ? count * ranks : scatters ? count / ranks : count;
  float *in = malloc(sizeof(float) * count), *out = calloc(results, sizeof(float));
  for (int i = 0; i < count; ++i)
    in[i] = ((long)rank * count + i) % 13 + rank;
  double *times = malloc(sizeof(double) * steps);
  for (int step = -1; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (reduces)
      MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (gathers)
      MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
    else if (scatters)
      MPI_Reduce_scatter_block(in, out, results, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Alltoall(in, count / ranks, MPI_FLOAT, out, count / ranks, MPI_FLOAT, MPI_COMM_WORLD);
    if (step >= 0)
      times[step] = 1e6 * (MPI_Wtime() - start);
  }
  for (int i = 0; i < results; ++i) {
    float want = 0;
    long block = count / ranks;
    if (gathers)
      want = i % 13 + i / count;
    else if (reduces || scatters)
      for (int r = 0; r < ranks; ++r)
        want += ((long)r * count + (scatters ? rank * block : 0) + i) % 13 + r;
    else
      want = (i / block * count + rank * block + i % block) % 13 + i / block;
    if (out[i] != want) {
      fprintf(stderr, "wrong result of MPI's %s at %d: expected %f, found %f\n", argv[1], i, want, out[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  qsort(times, steps, sizeof(double), compare);
  if (rank == 0)
    printf("{\"us\": %f}\n", times[steps / 2]);
  MPI_Finalize();
  return 0;
}
"""


def run_mpi(args, folder):
    source, program = folder / "bench.c", folder / "bench"
    if not program.exists():
        source.write_text(MPI_SOURCE)
        subprocess.run(["mpicc", "-O2", source, "-o", program], check=True)
    times = {}
    for kind in args.kinds:
        for size in sizes_of(args):
            steps = max(5, min(200, int(args.seconds * 5e8 / size)))
            command = ["mpirun", "-n", args.ranks, "--oversubscribe", program, kind, elements_of(kind, size, args.ranks), steps]
            done = child(command, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
            times[f"{kind} {size}"] = done["us"]
    return times


def run_dmc(args, folder):
    """Microseconds of the step; checks the result first."""
    tools, times = pathlib.Path(args.bin), {}
    for kind in args.kinds:
        for size in sizes_of(args):
            own = folder / f"{kind}-{size}"
            program, report = own / "step.so", own / "report.json"
            if not program.exists():
                subprocess.run([tools / "dmc-compile", own / "step.mlir", "-o", program], check=True)
            base = [tools / "dmc-run", program, "--input-dir", own / "in", "--threads=1"]
            subprocess.run([*base, "--expect-dir", own / "expected", "--rtol=0", "--atol=0"], check=True, capture_output=True)
            steps = max(5, min(200, int(args.seconds * 5e8 / size)))
            subprocess.run([*base, f"--bench={steps}", "--report", report], check=True, capture_output=True)
            times[f"{kind} {size}"] = 1e3 * json.loads(report.read_text())["step_ms"]["median"]
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="of " + ", ".join(KINDS))
    parser.add_argument("--jax", metavar="PYTHON", help="an interpreter with jax")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter with torch")
    parser.add_argument("--mpi", action="store_true", help="Open MPI too: mpicc and mpirun")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"))
    parser.add_argument("--ranks", type=int, default=max(2, os.cpu_count()))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="that each figure is measured for, about")
    parser.add_argument("--largest", type=int, default=64 << 20, help="bytes of the largest collective")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.kinds = args.kinds or list(KINDS)
    for kind in args.kinds:
        if kind not in KINDS:
            parser.error(f"unknown collective '{kind}', expected one of {', '.join(KINDS)}")
    if args.ranks < 2:
        parser.error(f"--ranks expects at least 2, found {args.ranks}")
    if args.child:
        print(json.dumps((child_xla if args.child == "xla" else child_gloo)(args)))
        return 0
    if not args.jax:
        parser.error("--jax is needed: it makes the programs")
    engines = ["xla"] + (["gloo"] if args.torch else []) + (["mpi"] if args.mpi else [])
    rounds = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        options = ["--folder", folder, "--ranks", args.ranks, "--seconds", args.seconds, "--largest", args.largest, *args.kinds]
        for _ in range(args.rounds):
            row = {"xla": child([args.jax, HERE, "--child", "xla", *options],
                                XLA_FLAGS=f"--xla_force_host_platform_device_count={args.ranks}")}
            if args.torch:
                row["gloo"] = child([args.torch, HERE, "--child", "gloo", *options])
            if args.mpi:
                row["mpi"] = run_mpi(args, folder)
            row["dmc"] = run_dmc(args, folder)
            rounds.append(row)
    print(f"microseconds, median of {args.rounds} rounds; {args.ranks} ranks; {features()}")
    print(f"{'collective':16}{'bytes':>10}{'dmc':>10}" + "".join(f"{e:>10}" for e in engines) + f"{'best peer / dmc':>24}")
    for kind in args.kinds:
        for size in sizes_of(args):
            key = f"{kind} {size}"
            middle = {e: statistics.median(row[e][key] for row in rounds) for e in engines + ["dmc"]}
            ratios = [min(row[e][key] for e in engines) / row["dmc"][key] for row in rounds]
            print(f"{kind:16}{size:10}{middle['dmc']:10.1f}" + "".join(f"{middle[e]:10.1f}" for e in engines) + f"{spread(ratios):>24}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
