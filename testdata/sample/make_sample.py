"""Writes the bundled sample: 30 topics, pooled graded judgements, three runs, document lengths, passages. Seeded."""

from __future__ import annotations

import random
from pathlib import Path

SYSTEMS = {"bm25": 0.45, "splade": 0.62, "colbert": 0.70}
TOPICS, DEPTH, POOL = range(301, 331), 100, 30


def main() -> None:
    """Write qrels and runs beside this file."""
    rng = random.Random(7)
    here = Path(__file__).parent
    runs: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    judgements = []
    lengths = []
    for topic in TOPICS:
        difficulty = rng.gauss(0, 0.35)
        documents = [f"DOC-{topic}-{n:04d}" for n in range(400)]
        level = {d: max(0, min(3, int(rng.expovariate(1.6)))) for d in documents}
        sizes = random.Random(topic)  # a stream of its own, so that the runs stay what they are
        lengths += [f"{d} {(words := sizes.randint(40, 1500)) * 6} {words}" for d in documents]
        pool: set[str] = set()
        for name, skill in SYSTEMS.items():
            score = {d: skill * level[d] - difficulty + rng.gauss(0, 0.8) for d in documents}
            ranked = sorted(documents, key=lambda d: score[d], reverse=True)[:DEPTH]
            pool.update(ranked[:POOL])
            if not (name == "bm25" and topic in (307, 319)):  # two topics that one run lacks
                runs[name] += [f"{topic} Q0 {d} {r} {score[d]:.4f} {name}" for r, d in enumerate(ranked, 1)]
        judgements += [f"{topic} 0 {d} {level[d]}" for d in sorted(pool)]
    (here / "qrels").write_text("\n".join(judgements) + "\n")
    retrieved = {line.split()[2] for lines in runs.values() for line in lines}
    (here / "lengths").write_text("".join(f"{line}\n" for line in lengths if line.split()[0] in retrieved))
    for name, lines in runs.items():
        (here / f"{name}.run").write_text("\n".join(lines) + "\n")
    for name, lines in passages().items():
        (here / f"{name}.passages").write_text("".join(f"{line}\n" for line in lines))


def passages() -> dict[str, list[str]]:
    """Two passage runs over five topics: the new one moves, trims and replaces some of the old one's passages."""
    rng = random.Random(11)
    runs: dict[str, list[str]] = {"old": [], "new": []}
    for topic in list(TOPICS)[:5]:
        old = [
            (f"DOC-{topic}-{rng.randrange(400):04d}", rng.randrange(0, 4000, 50), rng.randrange(200, 2000))
            for _ in range(12)
        ]
        new = [(d, offset + 100, length) if rng.random() < 0.3 else (d, offset, length) for d, offset, length in old]
        for place in rng.sample(range(12), topic % 5):
            new[place] = (f"DOC-{topic}-{rng.randrange(400):04d}", 0, 1500)
        new[0], new[topic % 4] = new[topic % 4], new[0]
        for name, ranking in (("old", old), ("new", new)):
            runs[name] += [f"{topic} {d} {o} {n} {12 - rank}" for rank, (d, o, n) in enumerate(ranking)]
    return runs


if __name__ == "__main__":
    main()
