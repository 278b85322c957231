"""The README's story of the synthetic track is what the commands print; and the track is what its script makes."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
SHOWN = re.findall(
    r"^```\n\$ ireval ((?:discrim|concordance|loo|correlate) .*?)\n(.*?)^```",
    (ROOT / "README.md").read_text(),
    re.S | re.M,
)


def test_the_story_is_told() -> None:
    assert len(SHOWN) >= 5
    assert all((ROOT / "docs" / name).exists() for name in ("discrim.svg", "loo.svg", "downsample.svg"))


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=lambda text: text[:30])
def test_readme_shows_what_is_printed(command: str, output: str) -> None:
    environment = {**os.environ, "IREVAL_QUIET": ""}
    done = subprocess.run(
        f"{BIN}/ireval {command}", shell=True, cwd=ROOT, capture_output=True, text=True, env=environment
    )
    assert done.stdout == output


def test_the_script_makes_the_track(tmp_path: Path) -> None:
    script = tmp_path / "make_teams.py"
    script.write_text((TESTDATA / "teams" / "make_teams.py").read_text())
    runpy.run_path(str(script), run_name="__main__")
    for name in ("qrels", "qrels.second", "preferences"):
        assert (tmp_path / name).read_bytes() == (TESTDATA / "teams" / name).read_bytes()
    import gzip

    made = sorted(path.name for path in tmp_path.glob("*.gz"))
    assert len(made) == 30
    for name in made:  # how well zlib compresses is its own business
        assert gzip.decompress((tmp_path / name).read_bytes()) == gzip.decompress(
            (TESTDATA / "teams" / name).read_bytes()
        )


def test_d_sharp_against_d_with_the_real_measures(our_command: Door) -> None:
    """Intuitive, Table 2 (a), first cell: with intent recall as gold, D#-nDCG 100 %, D-nDCG 0 %."""
    folder = TESTDATA / "diversity"
    argv = [folder / "qrels", *sorted(folder.glob("*.run")), "--intents", folder / "intents"]
    argv += ["-m", "D#-nDCG@10", "-m", "D-nDCG@10", "--gold", "I-rec@10"]
    assert "100%/0%" in our_command("concordance", *argv).out.decode()


def test_loo_with_intents(our_command: Door, tmp_path: Path) -> None:
    """What --write-qrels keeps can be scored again, with the same result."""
    folder = TESTDATA / "diversity"
    runs = sorted(folder.glob("*.run"))
    argv = ["loo", folder / "qrels", *runs, "--intents", folder / "intents", "--by", "run", "--pool-depth", "10"]
    argv += ["-m", "D-nDCG@10", "-m", "I-rec@10", "--over", "all", "--plain-only", "-f", "csv", "--digits", "12"]
    rows = [line.split(",") for line in our_command(*argv, "--write-qrels", tmp_path).out.decode().splitlines()[1:]]
    name = runs[0].name.removesuffix(".run")
    again = our_command(
        "eval", tmp_path / f"qrels.without-{name}", runs[0], "--intents", folder / "intents", "--over", "all",
        "-m", "D-nDCG@10", "-m", "I-rec@10", "-f", "csv", "--digits", "12",
    )  # fmt: skip
    assert [row[4] for row in rows[:2]] == again.out.decode().splitlines()[1].split(",")[1:]
