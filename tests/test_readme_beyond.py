"""What the README shows of `session`, `answers` and `rouge` is what they print; so do the examples of their help."""

from __future__ import annotations

import re
import shlex
from glob import glob
from pathlib import Path

import pytest
from conftest import Door

from ireval.cli import answers, rouge, session

ROOT = Path(__file__).parent.parent
SHOWN = re.findall(
    r"^```\n\$ ireval ((?:session|answers|rouge) .*?)\n(.*?)^```", (ROOT / "README.md").read_text(), re.S | re.M
)
EXAMPLES = [
    line.strip().removeprefix("ireval ")
    for module in (session, answers, rouge)
    for line in module.EPILOG.splitlines()
    if line.startswith("  ireval ")
]


def arguments(line: str) -> list[str]:
    """The words of a command line, file names filled in as a shell does."""
    return [word for given in shlex.split(line) for word in (sorted(glob(given)) if "*" in given else [given])]


def test_there_is_something_to_compare() -> None:
    assert len(SHOWN) == 3 and len(EXAMPLES) >= 10


@pytest.mark.parametrize(("line", "output"), SHOWN, ids=[line.split()[0] for line, _ in SHOWN])
def test_shown_output(line: str, output: str, our_command: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    got = our_command(*arguments(line))
    assert (got.status, got.out.decode() + got.err) == (0, output)


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_of_the_help_work(line: str, our_command: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    got = our_command(*arguments(line))
    assert (got.status, got.err) == (0, "") and got.out
