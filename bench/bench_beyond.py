"""Rows of `make bench` about sessions and summaries. The yardsticks are the same lines as a run, and plain Python."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from bench import IREVAL, measure, row

COUNTERS = """
import re, sys
from collections import Counter

def pieces(words):
    pairs = Counter(zip(words, words[1:]))
    skips = Counter((a, b) for i, a in enumerate(words) for b in words[i + 1 : i + 6])
    skips.update((word,) for word in words)
    return pairs, skips

def read(path):
    rows = (line.rstrip("\\n").split("\\t", 1) for line in open(path))
    return {name: pieces(re.findall("[a-z0-9]+", text.lower())) for name, text in rows}

system, reference = read(sys.argv[1]), read(sys.argv[2])
for kind in (0, 1):
    total = 0.0
    for name, given in system.items():
        ours, theirs = given[kind], reference[name][kind]
        both = sum((ours & theirs).values())
        total += 2 * both / (sum(ours.values()) + sum(theirs.values()))
    print(total / len(system))
"""


def write_sessions(folder: Path, sessions: int, queries: int, depth: int) -> None:
    """Sessions of some lists, their judgements, their clicks; and the same lines as a run of one list a topic."""
    rng = random.Random(8)
    with (
        open(folder / "qrels", "w") as qrels,
        open(folder / "lists", "w") as lists,
        open(folder / "run", "w") as run,
        open(folder / "clicks", "w") as clicks,
    ):
        for session in range(sessions):
            pool = [f"doc-{session * 7919 % 9973:04d}-{n:04d}" for n in rng.sample(range(10_000), 2 * depth + 5)]
            qrels.writelines(f"{session} 0 {d} {max(0, rng.randint(-2, 3))}\n" for d in pool[: depth + 2])
            for query in range(1, queries + 1):
                for rank, document in enumerate(rng.sample(pool, depth), 1):
                    lists.write(f"{session} {query} {document} {rank} {50 - rank} t\n")
                    run.write(f"{session} Q0 {document}-{query} {rank} {50 * (5 - query) - rank} t\n")
                if rng.random() < 0.7:
                    clicks.write(f"{session} {query} {rng.randint(1, depth)} {rng.randint(500, 20_000)}\n")


def write_texts(folder: Path, texts: int, words: int) -> None:
    """Texts of a system and of a reference, word frequencies after Zipf."""
    rng = random.Random(9)
    vocabulary = [f"word{n}" for n in range(20_000)]
    weights = [1 / (n + 1) for n in range(len(vocabulary))]
    for name in ("system.tsv", "reference.tsv"):
        with open(folder / name, "w") as out:
            for n in range(texts):
                out.write(f"d{n}\t{' '.join(rng.choices(vocabulary, weights, k=words))}\n")


def rows(repeats: int) -> None:
    """Print the rows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sessions(folder, 50_000, 3, 10)
        files = [str(folder / file) for file in ("qrels", "lists")]
        ours = measure([*IREVAL, "session", *files, "-m", "sDCG@10", "-m", "nsDCG@10"], repeats)
        same = [str(folder / "qrels"), str(folder / "run"), "-m", "DCG@30", "-m", "nDCG@30"]
        theirs = measure([*IREVAL, "eval", *same], repeats)
        row("50,000 sessions of 3 x 10", ours, "our eval, same lines", theirs, "<= 3 s")
        clicks = ["--clicks", str(folder / "clicks"), "-m", "ClickU", "-m", "sDCG(truncate=click)"]
        ours = measure([*IREVAL, "session", *files, *clicks], repeats)
        row("the same, from clicks", ours, "our eval, same lines", theirs, "<= 3 s")
        write_texts(folder, 10_000, 100)
        pair = [str(folder / file) for file in ("system.tsv", "reference.tsv")]
        ours = measure([*IREVAL, "rouge", *pair, "-m", "ROUGE-2", "-m", "ROUGE-SU4"], repeats)
        theirs = measure([sys.executable, "-c", COUNTERS, *pair], min(repeats, 3))
        row("10,000 texts, ROUGE-2, -SU4", ours, "a loop of Counters", theirs, "<= 10 s")
