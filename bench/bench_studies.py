"""The studies: discriminative power, concordance, leave one out. The yardstick is scoring the same runs once."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench import IREVAL, measure, row, write_world

MEASURES = ["AP", "Q", "nDCG", "nDCG@10", "P@10", "P@20", "RR", "ERR@10", "bpref", "RBP"]


def main(repeats: int) -> None:
    """Rows of the table: 30 runs of 50 topics by ten measures; 100 runs and as many teams."""
    with tempfile.TemporaryDirectory() as name:
        studies(Path(name), repeats)


def studies(folder: Path, repeats: int) -> None:
    """The same, with the collections in a folder."""
    write_world(folder, "track", 50, 1000, 200, runs=30)
    write_world(folder, "teams", 50, 1000, 200, runs=100)
    for name, runs in (("track", 30), ("teams", 100)):
        (folder / name).mkdir()
        for r in range(runs):
            (folder / f"{name}.{r}.run").rename(folder / name / f"{r}.run")
    named = [word for name in MEASURES for word in ("-m", name)]
    track = [str(folder / "track.qrels"), *map(str, sorted((folder / "track").iterdir()))]
    teams = [str(folder / "teams.qrels"), *map(str, sorted((folder / "teams").iterdir()))]
    once = measure([*IREVAL, "eval", *track, *named, "-f", "tsv"], repeats)
    tests = ["--method", "bootstrap", "--method", "hsd", "-j", "0", "-f", "csv"]
    ours = measure([*IREVAL, "discrim", *track, *named, *tests], repeats)
    row("discrim, 30 x 50 x 10, both tests", ours, "eval of the same", once, "<= 5 s")
    scores = folder / "scores.csv"
    measure([*IREVAL, "eval", *track, *named, "-q", "-f", "csv", "--digits", "-1", "-o", str(scores)], 1)
    ours = measure([*IREVAL, "discrim", "--scores", str(scores), *tests], repeats)
    row("the same from --scores", ours, "eval of the same", once, "")
    ours = measure([*IREVAL, "discrim", "--scores", str(scores), "--method", "swap", "-f", "csv"], repeats)
    row("swap method", ours, "eval of the same", once, "")
    golds = [word for name in MEASURES for word in ("--candidate", name)] + ["--gold", "P@5", "--gold", "Rprec"]
    ours = measure([*IREVAL, "concordance", *track, *golds, "-f", "csv"], repeats)
    row("concordance, ten candidates", ours, "eval of the same", once, "")
    once = measure([*IREVAL, "eval", *teams, "-m", "AP", "-m", "nDCG@10", "-f", "tsv"], repeats)
    ours = measure([*IREVAL, "loo", *teams, "-m", "AP", "-m", "nDCG@10", "--by", "run", "--pool-depth", "50"], repeats)
    row("loo, 100 runs x 50 x 100 teams", ours, "eval of the same", once, "<= 4")
