"""Speed and memory against peers, in one run on one machine: `make bench`.

Wall times are the median of several starts of whole programs on the same files; what counts are the ratios. trec_eval
takes part when $TREC_EVAL names it, ndeval when $NDEVAL does; pytrec_eval is installed by `make bench`.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from bench_med import bench_med

IREVAL = [str(Path(sys.executable).with_name("ireval"))]
PYTREC = """
import sys, pytrec_eval
qrel = pytrec_eval.parse_qrel(open(sys.argv[1]))
run = pytrec_eval.parse_run(open(sys.argv[2]))
results = pytrec_eval.RelevanceEvaluator(qrel, {"official"}).evaluate(run)
for name in sorted(next(iter(results.values()))):
    print(name, pytrec_eval.compute_aggregated_measure(name, [r[name] for r in results.values()]))
"""


class Cost(NamedTuple):
    """Seconds of wall time and megabytes of resident memory."""

    seconds: float
    megabytes: float


def write_world(folder: Path, name: str, topics: int, depth: int, judged: int, runs: int = 1) -> None:
    """A seeded collection: `depth` documents for each topic in each run, `judged` judgements of levels 0 to 3."""
    rng = random.Random(name)
    with open(folder / f"{name}.qrels", "w") as out:
        for topic in range(1, topics + 1):
            for n in sorted(rng.sample(range(depth + 3 * judged), judged)):
                out.write(f"{topic} 0 doc-{topic * 7919 % 9973:04d}-{n:05d} {max(0, rng.randint(-3, 3))}\n")
    for r in range(runs):
        with open(folder / f"{name}.{r}.run", "w") as out:
            for topic in range(1, topics + 1):
                score, lines = 40.0, []
                for rank, n in enumerate(rng.sample(range(depth + 3 * judged), depth), 1):
                    score -= rng.random() / depth * 20
                    lines.append(f"{topic} Q0 doc-{topic * 7919 % 9973:04d}-{n:05d} {rank} {score:.4f} run{r}\n")
                out.writelines(lines)


LAUNCHER = """
import os, sys, time
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 1)
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 2)])
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status), file=sys.stderr)
"""
"""Starts a command from a small process: memory is counted from the fork on, so that ours would count as its own."""


def measure(command: list[str] | str, repeats: int) -> Cost:
    """Median wall time and highest memory of a command (text: through the shell)."""
    words = ["sh", "-c", command] if isinstance(command, str) else list(map(str, command))
    times, memory = [], 0.0
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-S", "-c", LAUNCHER, *words], stderr=subprocess.PIPE, text=True, check=True
        )
        seconds, kilobytes, status = done.stderr.split()[-3:]
        if status != "0":
            raise SystemExit(f"bench: failed: {command}")
        times.append(float(seconds))
        memory = max(memory, float(kilobytes) / 1024)
    return Cost(statistics.median(times), memory)


def graded_measures() -> list[str]:
    """-m options for every measure that is not trec_eval's and needs levels only."""
    from ireval.measures.registry import all_measures

    records = [r for r in all_measures().values() if not r.trec and r.needs == "levels"]
    return [word for r in records for word in ("-m", r.label + ("@10" if r.cutoff else ""))]


def row(what: str, ours: Cost, yardstick: str, theirs: Cost | None, goal: str) -> None:
    """One line of the table."""
    ratio = f"{ours.seconds / theirs.seconds:5.2f}" if theirs else "    -"
    other = f"{theirs.seconds:7.3f} s {theirs.megabytes:5.0f} MB" if theirs else f"{'not here':>18s}"
    print(
        f"{what:<34s} {ours.seconds:7.3f} s {ours.megabytes:5.0f} MB   {yardstick:<22s} {other}   {ratio}  {goal}",
        flush=True,
    )


def diversity(folder: Path, repeats: int) -> None:
    """50 topics of 6 intents, 100 runs of 1,000 documents: all of ndeval's columns, against a loop of ndeval."""
    write_world(folder, "div", 50, 1000, 200, runs=100)
    rng = random.Random("intents")
    lines = [line.split() for line in (folder / "div.qrels").read_text().splitlines()]
    with open(folder / "div.qrels", "w") as out:
        for topic, _, document, level in lines:
            for intent in range(1, 7):
                out.write(f"{topic} {intent} {document} {level if rng.random() < 0.3 else 0}\n")
    runs = [str(folder / f"div.{r}.run") for r in range(100)]
    ours = measure([*IREVAL, "eval", str(folder / "div.qrels"), *runs, "-f", "ndeval", "--order", "rank"], repeats)
    ndeval = os.environ.get("NDEVAL")
    files = " ".join(map(shlex.quote, runs))
    loop = f"for run in {files}; do {shlex.quote(ndeval or '')} {shlex.quote(str(folder / 'div.qrels'))} $run; done"
    theirs = measure(loop, repeats) if ndeval else None
    row("diversity: 100 runs of 50 x 1,000", ours, "a loop of ndeval", theirs, "<= 0.5")


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    repeats = options.parse_args().repeats
    trec_eval = os.environ.get("TREC_EVAL")
    if not trec_eval:
        print("bench: set TREC_EVAL to compare with trec_eval", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "compileall", "-q", Path(__file__).parent.parent / "ireval"], check=False)
    print(f"{'what':<34s} {'ireval':>18s}   {'yardstick':<41s}   ratio  goal")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large, many = folder / "small", folder / "large", folder / "many"
        write_world(folder, "small", 1000, 1000, 200)
        write_world(folder, "large", 7000, 1000, 20)
        write_world(folder, "many", 50, 1000, 200, runs=100)
        write_world(folder, "tiny", 3, 1000, 100)
        pair = {w.name: [f"{w}.qrels", f"{w}.0.run"] for w in (small, large, folder / "tiny")}

        ours = measure([*IREVAL, *pair["small"]], repeats)
        theirs = measure([trec_eval, *pair["small"]], repeats) if trec_eval else None
        row("1,000 x 1,000, official", ours, "trec_eval", theirs, "<= 0.35, 150 MB")
        try:
            import pytrec_eval  # noqa: F401

            row(
                "",
                ours,
                "pytrec_eval-terrier",
                measure([sys.executable, "-c", PYTREC, *pair["small"]], repeats),
                "<= 0.35",
            )
        except ImportError:
            row("", ours, "pytrec_eval-terrier", None, "<= 0.35")
        every = measure([*IREVAL, "-q", "-m", "all_trec", *pair["small"]], repeats)
        theirs = measure([trec_eval, "-q", "-m", "all_trec", *pair["small"]], repeats) if trec_eval else None
        row("1,000 x 1,000, -q -m all_trec", every, "trec_eval", theirs, "")
        graded = measure([*IREVAL, "eval", *pair["small"], *graded_measures(), "-f", "tsv"], repeats)
        official = measure([*IREVAL, "eval", *pair["small"], "-m", "official", "-f", "tsv"], repeats)
        row("1,000 x 1,000, graded measures", graded, "our official set", official, "<= 3")
        big = measure([*IREVAL, *pair["large"]], repeats)
        theirs = measure([trec_eval, *pair["large"]], repeats) if trec_eval else None
        row("7,000 x 1,000, official", big, "trec_eval", theirs, "<= 0.25")
        print(f"{'':<34s} memory {big.megabytes / ours.megabytes:.2f} times that of 1,000 topics (goal <= 1.3)")
        runs = [f"{many}.{r}.run" for r in range(100)]
        ours = measure([*IREVAL, "eval", f"{many}.qrels", *runs, "-m", "official", "-f", "tsv"], repeats)
        files = " ".join(map(shlex.quote, runs))
        loop = f"for run in {files}; do {shlex.quote(trec_eval or '')} {shlex.quote(f'{many}.qrels')} $run; done"
        theirs = measure(loop, repeats) if trec_eval else None
        row("100 runs of 50 x 1,000, eval", ours, "a loop of trec_eval", theirs, "<= 0.3")
        ours = measure([*IREVAL, "eval", f"{many}.qrels", *runs, "-m", "official", "-f", "tsv", "-j", "0"], repeats)
        row("the same, --jobs 0", ours, "a loop of trec_eval", theirs, "")

        diversity(folder, repeats)
        starts = max(15, repeats)
        ours = measure([*IREVAL, "--help"], starts)
        row("--help", ours, "import click", measure([sys.executable, "-c", "import click"], starts), "<= 1.5")
        ours = measure([*IREVAL, *pair["tiny"]], starts)
        row("three topics", ours, "import numpy", measure([sys.executable, "-c", "import numpy"], starts), "<= 1.6")
    import bench_beyond

    bench_beyond.rows(repeats)
    import_module("bench_sigtest").main(repeats)
    import_module("bench_studies").main(repeats)
    with tempfile.TemporaryDirectory() as name:  # last: it works in this process, which grows
        bench_med(Path(name), IREVAL, measure, row, repeats)


if __name__ == "__main__":
    main()
