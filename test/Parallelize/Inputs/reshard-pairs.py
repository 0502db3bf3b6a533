# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that reshards values between random pairs of layouts.

reshard-pairs.py MESH COUNT SEED, a mesh as x=4,y=6: every result is its argument,
resharded to one layout, from there to another, and back to all ranks.
"""
import random
import sys


def references(name, size):
    cuts = [d for d in range(1, size + 1) if size % d == 0]
    for pre in cuts:
        for end in cuts:
            if end > pre and end % pre == 0:
                yield name, pre, end // pre, size


def overlap(a, b):
    def below(m, n):
        return m[1] % n[1] == 0 and m[1] // n[1] % n[2] == 0
    return a[0] == b[0] and (a == b or not (below(a, b) or below(b, a)))


def text(ref):
    name, pre, size, whole = ref
    return f'"{name}"' if size == whole else f'"{name}":({pre}){size}'


def layout(rng, refs, rank):
    dims, partials, placed, used = [[] for _ in range(rank)], [], [], []
    for ref in rng.sample(refs, len(refs)):
        if any(overlap(ref, other) for other in used) or rng.random() < 0.3:
            continue
        used.append(ref)
        role = rng.random()
        if role < 0.12:
            partials.append(text(ref))
        elif role < 0.2:
            placed.append(f"{text(ref)} = {rng.randrange(ref[2])}")
        else:
            dims[rng.randrange(rank)].append(text(ref))
    result = "[" + ", ".join("{" + ", ".join(d) + "}" for d in dims) + "]"
    if partials:
        result += f", {rng.choice(['sum', 'max', 'min'])} {{" + ", ".join(partials) + "}"
    if placed:
        result += ", placed {" + ", ".join(placed) + "}"
    return f"#dmc.layout<#mesh, {result}>"


def main():
    mesh = [(n, int(s)) for n, s in (axis.split("=") for axis in sys.argv[1].split(","))]
    count, rng = int(sys.argv[2]), random.Random(int(sys.argv[3]))
    refs = [ref for name, size in mesh for ref in references(name, size)]
    aliases, arguments, results, body = [], [], [], []
    for i in range(count):
        shape = [rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 12]) for _ in range(rng.choice([1, 2, 2, 3]))]
        kind = rng.choice(["f32", "f32", "i32", "bf16"])
        aliases += [f"#a{i} = {layout(rng, refs, len(shape))}", f"#b{i} = {layout(rng, refs, len(shape))}",
                    f"#r{i} = #dmc.layout<#mesh, [{', '.join(['{}'] * len(shape))}]>"]
        type_ = "x".join(map(str, shape)) + f"x{kind}"
        r, a, b = (f"tensor<{type_}, #{x}{i}>" for x in "rab")
        arguments.append((f'"a{i}" : {r}', f"%a{i}: {r}"))
        results.append((f'"y{i}" : {r}', r))
        body += [f"    %x{i} = dmc.reshard %a{i} : {r} to {a}", f"    %y{i} = dmc.reshard %x{i} : {a} to {b}",
                 f"    %z{i} = dmc.reshard %y{i} : {b} to {r}"]
    axes = ", ".join(f'"{n}" = {s}' for n, s in mesh)
    print(f"#mesh = #dmc.mesh<{axes}>")
    print("\n".join(aliases))
    print('module attributes {dmc.program = #dmc.program<parallel "pairs" on #mesh,')
    print(f"    arguments [{', '.join(a for a, _ in arguments)}],")
    print(f"    results [{', '.join(r for r, _ in results)}]>}} {{")
    print(f"  func.func @main({', '.join(a for _, a in arguments)}) -> ({', '.join(r for _, r in results)}) {{")
    print("\n".join(body))
    print(f"    return {', '.join(f'%z{i}' for i in range(count))} : {', '.join(r for _, r in results)}")
    print("  }\n}")


main()
