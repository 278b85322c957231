"""What each door imports. A module that is not needed costs every user its start-up time."""

from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import TESTDATA

SAMPLE = TESTDATA / "sample"
FILES = [str(SAMPLE / "qrels"), str(SAMPLE / "bm25.run")]
HEAVY = ("click", "numpy", "rich", "scipy", "pandas", "multiprocessing", "concurrent.futures", "difflib")

REPORT = """
import sys
from ireval.__main__ import main
try:
    status = main()
except SystemExit as ended:
    status = ended.code
print(status, *sorted(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """Which of the heavy modules are there after this call, which must succeed and print something."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(heavy=HEAVY), *arguments], capture_output=True, text=True, timeout=60
    )
    status, *names = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    assert done.stdout
    return set(names)


HELP = [[], ["--help"], ["--version"], *([name, "--help"] for name in ("eval", "session", "answers", "rouge"))]


@pytest.mark.parametrize("arguments", HELP, ids=" ".join)
def test_help(arguments: list[str]) -> None:
    assert imported(*arguments) & {"click", "numpy", "rich", "scipy", "multiprocessing"} == {"click"}


@pytest.mark.parametrize("options", ["", "-q -m all_trec", "--compat 9", "-c -m map"])
def test_trec_eval_door(options: str) -> None:
    assert imported(*options.split(), *FILES) <= {"numpy"}
    assert imported("trec_eval", *options.split(), *FILES) <= {"numpy"}


@pytest.mark.parametrize("arguments", [[], ["-f", "json"], ["-q", "-f", "csv"], ["--ci", "95"]], ids=" ".join)
def test_eval_to_a_pipe(arguments: list[str]) -> None:
    assert imported("eval", *FILES, *arguments) & {"click", "numpy", "rich", "scipy", "pandas", "multiprocessing"} == {
        "click",
        "numpy",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["session", "session.qrels", "plain.sessions", "--clicks", "plain.clicks"],
        ["answers", "nuggets", "terse.matches"],
        ["rouge", "lead.tsv", "reference1.tsv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_beyond_the_ranked_list(arguments: list[str]) -> None:
    paths = [str(TESTDATA / "beyond" / word) if "." in word or word == "nuggets" else word for word in arguments]
    assert imported(*paths) == {"click", "numpy"}


def test_measures() -> None:
    assert imported("measures") & {"rich", "scipy", "pandas"} == set()


def test_import_of_the_package() -> None:
    code = f"import sys, ireval; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_the_report_sees_what_is_imported() -> None:
    """The check itself: a call that does import a heavy module is noticed."""
    assert "multiprocessing" in imported("eval", *FILES, str(SAMPLE / "splade.run"), "--jobs", "2")
