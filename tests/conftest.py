"""What several tests share: the doors run in this process, and small blocks for the readers."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from ireval.cli.main import run as run_command
from ireval.compat import gdeval, ndeval, ntcir_eval, trec_eval
from ireval.read.blocks import LineBlocks

TESTDATA = Path(__file__).resolve().parent.parent / "testdata"


class Outcome(NamedTuple):
    """What a run of the door left behind."""

    status: int
    out: bytes
    err: str

    @property
    def message(self) -> str:
        """The first line on stderr, without the program's name."""
        return self.err.split("\n")[0].removeprefix("ireval: ")


Door = Callable[..., Outcome]


def pytest_configure(config: pytest.Config) -> None:
    """A warning from numpy would reach the user's terminal, so it is a fault; files closed late are not.

    Neither is what matplotlib does with its own libraries: Python shows such deprecations to nobody but testers.
    """
    config.addinivalue_line("filterwarnings", "error")
    for module in ("matplotlib", "mpl_toolkits", "pyparsing", "dateutil", "PIL"):
        config.addinivalue_line("filterwarnings", f"ignore::DeprecationWarning:{module}")
        config.addinivalue_line("filterwarnings", f"ignore::PendingDeprecationWarning:{module}")
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")
    config.addinivalue_line("filterwarnings", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's shell may change what a test sees."""
    for name in [name for name in os.environ if name.startswith("IREVAL_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def door(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Door:
    """The trec_eval door, called with arguments and perhaps bytes for standard input."""
    return _in_process(trec_eval.main, capsysbinary, monkeypatch)


@pytest.fixture
def ntcir_door(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Door:
    """The NTCIREVAL door, called likewise."""
    return _in_process(ntcir_eval.main, capsysbinary, monkeypatch)


@pytest.fixture
def ndeval_door(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Door:
    """The ndeval door, called likewise."""
    return _in_process(ndeval.main, capsysbinary, monkeypatch)


@pytest.fixture
def gdeval_door(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Door:
    """The gdeval door, called likewise."""
    return _in_process(gdeval.main, capsysbinary, monkeypatch)


@pytest.fixture
def our_command(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Door:
    """Our own commands: the name of one, then its arguments."""

    def main(argv: list[str]) -> int:
        monkeypatch.setattr(sys, "argv", ["ireval", *argv])  # which a JSON document shows
        return run_command(argv)

    return _in_process(main, capsysbinary, monkeypatch)


@pytest.fixture
def evaluate(our_command: Door) -> Door:
    """`ireval eval`, which most tests of measures call."""
    return partial(our_command, "eval")


def _in_process(
    main: Callable[[list[str]], int], capture: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Door:
    def run(*argv: str | Path, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capture.readouterr()
        status = main([str(arg) for arg in argv])
        out, err = capture.readouterr()
        return Outcome(status, out, err.decode("utf-8", "surrogateescape"))

    return run


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make readers take so many bytes at a time, so that lines and topics span blocks."""

    original = LineBlocks.__init__

    def shrink(size: int) -> None:
        monkeypatch.setattr(
            LineBlocks,
            "__init__",
            lambda self, source, block_size=None, **options: original(self, source, block_size or size, **options),
        )

    return shrink
