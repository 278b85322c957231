"""Rows of `make bench` about `sigtest`, at TREC-8's size: 129 systems x 50 topics, 8,256 pairs.

The yardsticks are plain numpy programs for the same test without exact sums, and a loop over pairs with scipy. Each
runs in a process of its own; imports are not timed, memory is that of the whole process.
"""

from __future__ import annotations

import os
import subprocess
import sys

from bench import Cost, row

SYSTEMS, TOPICS = 129, 50
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2
SCIPY_PAIRS = 20
"""So many pairs are tested by scipy; the time for all of them is in proportion."""

WORLD = f"""
import time
import numpy as np
rng = np.random.default_rng(8)
scores = np.clip(rng.beta(1, 2, (1, {TOPICS})) + rng.normal(0, .1, ({SYSTEMS}, {TOPICS})), 0, 1)
"""
TIMED = """
best = 1e9
for _ in range({repeats}):
    start = time.perf_counter()
    work()
    best = min(best, time.perf_counter() - start)
print(best)
"""
HSD = """
from ireval.stats.tukey import randomised_tukey
work = lambda: randomised_tukey(scores, 10_000, 1)
"""
PLAIN_HSD = """
def work():
    table, rng, ranges = np.ascontiguousarray(scores.T), np.random.default_rng(1), []
    for _ in range(10_000 // 16):
        sums = rng.permuted(np.broadcast_to(table, (16, *table.shape)), axis=-1).sum(axis=1)
        ranges.append(sums.max(axis=1) - sums.min(axis=1))
    means = scores.sum(axis=1)
    return np.searchsorted(np.sort(np.concatenate(ranges)), np.abs(np.subtract.outer(means, means)))
"""
BOOTSTRAP = """
from ireval.stats.pairs import paired_bootstrap
work = lambda: paired_bootstrap(scores, 1000, 1)
"""
PLAIN_BOOTSTRAP = """
def work():
    n, rng = scores.shape[1], np.random.default_rng(1)
    centred = scores - scores.mean(axis=1, keepdims=True)
    def t_squared(means, gram):
        apart, own = np.subtract.outer(means, means) ** 2, np.diag(gram)
        return n * apart * (n - 1) / np.maximum(own[:, None] + own - 2 * gram - n * apart, 1e-30)
    shifted = scores.mean(axis=1)
    limit = n * np.subtract.outer(shifted, shifted) ** 2 * (n - 1)
    own = centred @ centred.T
    limit /= np.maximum(np.diag(own)[:, None] + np.diag(own) - 2 * own, 1e-30)
    count = np.zeros(limit.shape, int)
    for _ in range(1000):
        times = np.bincount(rng.integers(0, n, n), minlength=n)
        count += t_squared(centred @ times / n, (centred * times) @ centred.T) >= limit
    return count
"""
RANDOMISATION = """
from ireval.stats.pairs import pair_numbers
from ireval.stats.paired import randomisation
from ireval.stats.registry import Resampling
work = lambda: randomisation(scores, *pair_numbers(len(scores)), Resampling(1000))
"""
SCIPY = f"""
from scipy.stats import permutation_test
def work():
    for j in range(1, {SCIPY_PAIRS} + 1):
        permutation_test((scores[0], scores[j]), lambda x, y, axis: (x - y).mean(axis=axis),
                         permutation_type="samples", vectorized=True, n_resamples=1000)
"""
UNPAIRED = """
from ireval.stats.pairs import pair_numbers
from ireval.stats.unpaired import unpaired_pairs
pairs = [(int(i), int(j)) for i, j in zip(*pair_numbers(len(scores)))]
work = lambda: unpaired_pairs(list(scores), pairs, 1000, 1)
"""
PLAIN_UNPAIRED = f"""
def work():
    n, rng = scores.shape[1], np.random.default_rng(1)
    for j in range(1, {SCIPY_PAIRS} + 1):
        x, y = scores[0], scores[j]
        both = np.concatenate([x, y])[rng.integers(0, 2 * n, (1000, 2 * n))]
        np.count_nonzero(np.abs(both[:, :n].mean(axis=1) - both[:, n:].mean(axis=1)) >= abs(x.mean() - y.mean()))
        own = [z[rng.integers(0, n, (1000, n))].mean(axis=1) for z in (x, y)]
        np.quantile(own[0] - own[1], [0.025, 0.975])
"""


def cost(code: str, repeats: int, scale: float = 1.0) -> Cost:
    """The shortest of some runs of `work`, times `scale`, and the memory of the process."""
    program = WORLD + code + TIMED.format(repeats=repeats)
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as sigtest sets it
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=settings)
    assert child.stdout is not None
    seconds = float(child.stdout.read())
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(seconds * scale, usage.ru_maxrss / 1024)


def main(repeats: int) -> None:
    """Print the rows."""
    row("8,256 pairs, HSD, B 10,000", cost(HSD, repeats), "plain numpy", cost(PLAIN_HSD, repeats), "<= 3, 300 MB")
    boot = cost(BOOTSTRAP, repeats)
    row("8,256 pairs, bootstrap, B 1,000", boot, "plain numpy", cost(PLAIN_BOOTSTRAP, repeats), "<= 3, 300 MB")
    apart = cost(PLAIN_UNPAIRED, repeats, PAIRS / SCIPY_PAIRS)
    row("8,256 pairs, unpaired, B 1,000", cost(UNPAIRED, repeats), "numpy, a pair a time", apart, "<= 0.2")
    theirs = cost(SCIPY, repeats, PAIRS / SCIPY_PAIRS)
    ours = cost(RANDOMISATION, repeats)
    row("8,256 pairs, randomised, B 1,000", ours, "permutation_test", theirs, "<= 0.05")
    times = f"{theirs.seconds / ours.seconds:.0f} times as long"
    print(f"{'':<34s} scipy.stats.permutation_test in a loop over the pairs takes {times}")
