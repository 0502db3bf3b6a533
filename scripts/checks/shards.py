# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites divided into shards (.ci/shards), and what must be built for one of them."""
import pathlib
import re


def read(root):
    """[{"folders": lit folders, "suites": folders of test/unit}], one per line of .ci/shards.

    `...` on a line stands for the suites that no line names.
    """
    lines = [line.split("#")[0].split() for line in (pathlib.Path(root) / ".ci/shards").read_text().splitlines()]
    lines = [words for words in lines if words]
    named = {word for words in lines for word in words}
    rest = [name for name in there(root) if name not in named]
    shards = []
    for words in lines:
        names = [name for word in words for name in (rest if word == "..." else [word])]
        shards.append({
            "folders": [name for name in names if not name.startswith("unit/")],
            "suites": [name.removeprefix("unit/") for name in names if name.startswith("unit/")],
        })
    return shards


def there(root):
    """All suites, as .ci/shards names them."""
    return lit_folders(root) + ["unit/" + suite for suite in unit_suites(root)]


def lit_folders(root):
    """The folders of test/ that hold lit tests."""
    test = pathlib.Path(root) / "test"
    found = {path.relative_to(test).parts[0] for kind in ("*.mlir", "*.test") for path in test.rglob(kind)
             if "Inputs" not in path.parts}
    return sorted(found - {"unit", "embed", "models"})


def unit_suites(root):
    """Folder of test/unit -> executable."""
    suites = {}
    for path in sorted((pathlib.Path(root) / "test/unit").glob("*/CMakeLists.txt")):
        match = re.search(r"dmc_add_unit_test\((\S+)", path.read_text())
        if match:
            suites[path.parent.name] = match.group(1)
    return suites


def mistakes(root):
    """Suites that are in no shard, and names in .ci/shards that are not suites."""
    named = [name for shard in read(root) for name in shard["folders"] + ["unit/" + suite for suite in shard["suites"]]]
    return sorted(set(named) ^ set(there(root)))


def choose(root, commit):
    """The shard of a commit: its hash, so that all shards come round."""
    return int(commit[:8], 16) % len(read(root))


def targets(root, shard):
    """What a shard's tests call: the tools that they and their scripts name, the plugins, the suites."""
    root = pathlib.Path(root)
    tools = [path.name for path in sorted((root / "tools").iterdir()) if path.name.startswith("dmc-")]
    tools += ["dmc-transformer-problem", "dmc-fakes-tests"]
    named = re.compile(rf"\b(?:{'|'.join(tools)})\b(?!\.)|dmc_test_program\w*|DMCTestPasses\b")
    needed = set()
    for folder in shard["folders"]:
        for path in with_scripts(root, (root / "test" / folder).rglob("*")):
            needed.update(named.findall(path.read_text(errors="replace")))
    if needed & {"dmc-run", "dmc-test", "dmc-fuzz"}:
        needed.update(("dmc_onednn", "dmc_mpi", "dmc_tcp", "dmc_fake_cuda", "dmc_fake_cublaslt", "dmc_fake_nccl", "dmc_runtime",
                       "dmc-compile"))
    suites = unit_suites(root)
    needed.update(suites[suite] for suite in shard["suites"])
    return sorted(needed)


def with_scripts(root, files):
    """Tests and their inputs among the files, and the scripts of the project that they name, and those that these name."""
    found, waiting = set(), [path for path in files if path.suffix in (".mlir", ".test", ".sh", ".py")]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        names = re.findall(r"\b(?:scripts|benchmarks)/[\w/-]+\.(?:py|sh)\b", path.read_text(errors="replace"))
        waiting += [root / name for name in names if (root / name).is_file()]
    return sorted(found)
