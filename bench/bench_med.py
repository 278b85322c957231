"""Speed and memory of `ireval med`: a million topics side by side, and the searches for AP and ERR.

Called by bench.py. Yardsticks are measured in the same run: reading the same two files and doing nothing with them, and
sorting a million random doubles for what is computed in memory.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

READ_BOTH = """
import sys
from ireval.read.source import Source
from ireval.read.trec import stream_run
print(sum(len(batch.scores) for path in sys.argv[1:] for batch in stream_run(Source(path))))
"""
BLOCK = 1000


def write_pair(folder: Path, topics: int) -> list[str]:
    """Two runs of 20 documents for each topic: 14 in common, half of the topics shuffled. Blocks repeat, ids do not."""
    rng = random.Random(5)
    blocks: list[list[str]] = [[], []]
    for topic in range(BLOCK):
        documents = rng.sample(range(1_000_000), 26)
        rankings = [documents[:20], documents[6:]]
        if topic % 2:
            rng.shuffle(rankings[1])
        for block, ranking in zip(blocks, rankings, strict=True):
            block += [f"q@-{topic} Q0 doc{d} {rank} {20 - rank}.5 run\n" for rank, d in enumerate(ranking, 1)]
    paths = [str(folder / f"pair-{topics}-{side}.run") for side in (0, 1)]
    for path, block in zip(paths, blocks, strict=True):
        text = "".join(block)
        with open(path, "w") as out:
            for number in range(topics // BLOCK):
                out.write(text.replace("q@", f"q{number}"))
    return paths


def sort_seconds() -> float:
    """The yardstick for work in memory: sorting a million random doubles."""
    import numpy as np

    numbers = np.random.default_rng(1).random(1_000_000)
    start = time.perf_counter()
    for _ in range(5):
        np.sort(numbers)
    return (time.perf_counter() - start) / 5


def perturbed(depth: int, topics: int, noise: float) -> list[dict[str, dict[str, float]]]:
    """Two runs over the same documents, both with noise on the ranks."""
    import numpy as np

    rng = np.random.default_rng(3)
    runs: list[dict[str, dict[str, float]]] = [{}, {}]
    for topic in range(topics):
        for run in runs:
            order = np.argsort(np.arange(2 * depth) + rng.normal(size=2 * depth) * noise)[:depth]
            run[str(topic)] = {f"d{d}": float(depth - rank) for rank, d in enumerate(order)}
    return runs


def line(what: str, figure: str, yardstick: str, ratio: float, goal: str) -> None:
    """One line of the table, for what runs in this process."""
    print(f"{what:<34s} {figure:>18s}   {yardstick:<41s}   {ratio:5.2f}  {goal}", flush=True)


def in_memory(paths: list[str]) -> tuple[float, int]:
    """Seconds of processor time, and topics, of pairing and computing after both runs were read."""
    from ireval.core.align import Policy
    from ireval.core.pairs import pair_up
    from ireval.pairing import side_by_side
    from ireval.read.source import Source
    from ireval.read.trec import stream_run
    from ireval.studies.med import compute, parse_distances
    from ireval.studies.med_linear import Frame

    batches = [list(stream_run(Source(path))) for path in paths]
    distances = parse_distances(["nDCG@20", "RBP(p=0.9)"], {})
    start, topics = time.process_time(), 0
    for one, two in side_by_side(*map(iter, batches)):
        if not isinstance(one, int) and not isinstance(two, int):
            pairs = pair_up(one, two, Policy(), None)
            for distance in distances:
                compute(distance, pairs, Frame(), 2)
            topics += len(pairs)
    return time.process_time() - start, topics


def bench_med(
    folder: Path, ireval: list[str], measure: Callable[..., Any], row: Callable[..., None], repeats: int
) -> None:
    """The rows of `med`."""
    import ireval as package

    wanted = ["-m", "nDCG@20", "-m", "RBP(p=0.9)", "-f", "tsv"]
    small, large = write_pair(folder, 100_000), write_pair(folder, 1_000_000)
    repeats = min(repeats, 3)
    few = measure([*ireval, "med", *small, *wanted], repeats)
    many = measure([*ireval, "med", *large, *wanted], 1)
    reading = measure([sys.executable, "-c", READ_BOTH, *large], 1)
    row("med, 1,000,000 topics x 20", many, "reading both runs", reading, "")
    print(f"{'':<34s} memory {many.megabytes / few.megabytes:.2f} times that of 100,000 topics", flush=True)
    seconds, topics = in_memory(small)
    unit = sort_seconds()
    yardstick = f"sorting 1,000,000 doubles {unit * 1000:.0f} ms"
    rate = f"{topics / seconds:,.0f}/s"
    line("med, topics after reading", rate, yardstick, seconds / topics * 100_000 / unit, "100,000/s")
    for measure_name, depth, noises, goal in (
        ("AP@100", 100, (1.0, 5.0, 20.0, 60.0), "10 ms"),
        ("ERR@20", 20, (0.3, 1.0, 5.0, 20.0), "2 ms"),
    ):
        spent, exact, number = 0.0, 0.0, 0
        for noise in noises:
            first, second = perturbed(depth, 40, noise)
            package.med({"a": dict([next(iter(first.items()))]), "b": dict([next(iter(second.items()))])}, measure_name)
            start = time.perf_counter()
            found = package.med({"a": first, "b": second}, measure_name).pair()
            spent += time.perf_counter() - start
            exact += found.share_exact(0) * 40
            number += 40
        figure = f"{1000 * spent / number:.2f} ms/topic"
        line(f"med, {measure_name}, {exact / number:.0%} proved exact", figure, yardstick, spent / number / unit, goal)
