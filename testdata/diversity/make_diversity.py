"""Writes the bundled diversity sample: 20 topics of 2 to 5 intents, graded judgements, intents, lengths, four runs.

Seeded. bm25 knows the most popular intent only, dense is better at that, mmr looks for variety, xquad for both.
"""

from __future__ import annotations

import random
from pathlib import Path

Weights = tuple[float, float]
RUNS: dict[str, Weights] = {"bm25": (0.7, 0.0), "dense": (1.1, 0.1), "mmr": (0.6, 0.8), "xquad": (1.0, 0.6)}
"""Weight of relevance, and of what the documents above do not serve."""
TOPICS, DOCUMENTS, DEPTH, POOL = range(201, 221), 120, 40, 20


def ranked(
    rng: random.Random, levels: dict[str, list[int]], shares: list[float], run: tuple[float, float]
) -> list[str]:
    """Documents picked one after the other by noisy relevance and by novelty."""
    relevance, variety = run
    noise = {d: rng.gauss(0, 0.6) for d in levels}
    popular = max(range(len(shares)), key=shares.__getitem__)
    served = [0.0] * len(shares)
    left, ranking = list(levels), []
    while len(ranking) < DEPTH:
        score = {
            d: relevance * levels[d][popular]
            + variety
            * sum(s * g / (1 + 2 * v) for s, g, v in zip(shares, levels[d], served, strict=True))
            * len(shares)
            + noise[d]
            for d in left
        }
        best = max(left, key=lambda d: (score[d], d))
        ranking.append(best)
        left.remove(best)
        served = [v + (g > 0) for v, g in zip(served, levels[best], strict=True)]
    return ranking


def main() -> None:
    """Write everything beside this file."""
    rng, here = random.Random(11), Path(__file__).parent
    runs: dict[str, list[str]] = {name: [] for name in RUNS}
    qrels, intents, lengths = [], [], []
    for topic in TOPICS:
        number = rng.randint(2, 5)
        weights = [rng.random() + 0.2 for _ in range(number)]
        shares = [round(w / sum(weights), 4) for w in weights]
        kinds = ["nav" if rng.random() < 0.3 else "inf" for _ in range(number)]
        intents += [f"{topic} {i} {p:.4f} {kind}" for i, (p, kind) in enumerate(zip(shares, kinds, strict=True), 1)]
        levels = {}
        for n in range(DOCUMENTS):
            level = [0] * number
            if rng.random() < 0.35:
                level[rng.choices(range(number), shares)[0]] = rng.choice([1, 1, 2, 3])
                if rng.random() < 0.2:
                    level[rng.randrange(number)] = 1
            levels[f"web-{topic}-{n:03d}"] = level
        pool: set[str] = set()
        for name, run in RUNS.items():
            ranking = ranked(rng, levels, shares, run)
            pool.update(ranking[:POOL])
            runs[name] += [f"{topic} Q0 {d} {r} {100 - r} {name}" for r, d in enumerate(ranking, 1)]
        qrels += [f"{topic} {i} {d} {level}" for d in sorted(pool) for i, level in enumerate(levels[d], 1)]
        lengths += [f"{d} {rng.randint(500, 20000)}" for d in levels]
    retrieved = {line.split()[2] for lines in runs.values() for line in lines}
    kept = [line for line in lengths if line.split()[0] in retrieved]
    for name, lines in {"qrels": qrels, "intents": intents, "lengths": kept}.items():
        (here / name).write_text("\n".join(lines) + "\n")
    for name, lines in runs.items():
        (here / f"{name}.run").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
