"""Writes a synthetic test collection as a track makes one: 20 teams, 30 runs, 30 topics, judgements pooled to depth 15.

Systems see a document's relevance through noise: some of it is the same for all systems (a document that looks good to
every engine), some is the team's own way of looking, some the run's. Team T20 looks at documents in quite another way
than the others, and so finds relevant ones that nobody else does. Beside the runs: the judgements of a second assessor,
and what users preferred when they saw the top ten of two runs side by side. Seeded.
"""

from __future__ import annotations

import gzip
import random
from pathlib import Path

TEAMS = [f"T{n:02d}" for n in range(1, 21)]
TWO_RUNS = TEAMS[::2]
"""Every second team submitted two runs."""
OUTSIDER = "T20"
TOPICS, DOCUMENTS, DEPTH, POOL = range(401, 431), 260, 60, 15
GAIN = (0, 1, 3, 7)


def skill(team: str, run: int) -> float:
    """How well a run sees relevance."""
    return 0.72 + 0.02 * (int(team[1:]) * 7 % 19) + 0.05 * (run - 1)


def ranked(scores: dict[str, float]) -> list[str]:
    """Documents from high to low score, cut."""
    return sorted(scores, key=lambda document: (-scores[document], document))[:DEPTH]


def liking(ranking: list[str], level: dict[str, int]) -> float:
    """What the first ten documents are worth to a user, who reads less and less of them."""
    return sum(GAIN[level[document]] * 0.8**place for place, document in enumerate(ranking[:10]))


def main() -> None:
    """Write everything beside this file."""
    rng = random.Random(20)
    here = Path(__file__).parent
    names = [(team, f"{team}-{run}") for team in TEAMS for run in ((1, 2) if team in TWO_RUNS else (1,))]
    lines: dict[str, list[str]] = {name: [] for _, name in names}
    judged, second, preferences = [], [], []
    for topic in TOPICS:
        documents = [f"D{topic}{n:03d}" for n in rng.sample(range(1000), DOCUMENTS)]
        share = rng.uniform(0.06, 0.2)
        level = {d: rng.choices([1, 2, 3], [6, 3, 1])[0] if rng.random() < share else 0 for d in documents}
        looks = {d: rng.gauss(0, 0.9) for d in documents}
        hidden = {d: rng.gauss(0, 0.9) for d in documents}  # seen by the outsider only
        views = {team: {d: rng.gauss(0, 0.45) for d in documents} for team in TEAMS}
        rankings, pool = {}, set()
        for team, name in names:
            seen = {
                d: skill(team, int(name[-1])) * min(level[d], 2.4)
                + (hidden[d] if team == OUTSIDER else looks[d])
                + views[team][d]
                + rng.gauss(0, 0.3)
                for d in documents
            }
            rankings[name] = ranked(seen)
            pool.update(rankings[name][:POOL])
            lines[name] += [f"{topic} Q0 {d} {rank} {seen[d]:.3f} {name}" for rank, d in enumerate(rankings[name], 1)]
        for document in sorted(pool):
            judged.append(f"{topic} 0 {document} {level[document]}")
            other = level[document] + rng.choices([-1, 0, 1], [2, 7, 1] if level[document] else [0, 19, 1])[0]
            second.append(f"{topic} 0 {document} {max(0, min(3, other))}")
        for _ in range(20):
            one, two = rng.sample([name for _, name in names], 2)
            felt = liking(rankings[one], level) - liking(rankings[two], level) + rng.gauss(0, 3.0)
            preferences.append(f"{topic} {one} {two} {'=' if abs(felt) < 0.7 else 'A' if felt > 0 else 'B'}")
    for file, written in (("qrels", judged), ("qrels.second", second), ("preferences", preferences)):
        (here / file).write_text("\n".join(written) + "\n")
    for name, written in lines.items():
        text = ("\n".join(written) + "\n").encode()
        (here / f"{name}.run.gz").write_bytes(gzip.compress(text, 9, mtime=0))


if __name__ == "__main__":
    main()
