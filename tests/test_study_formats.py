"""Layouts that hold scores and nothing else: every command without scores refuses them, in the same words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import TESTDATA, Outcome, _in_process

from ireval.cli.main import run as run_command
from ireval.cli.options import READING, STUDY_FORMATS
from ireval.write.table import FORMATS

QRELS, BM25, SPLADE = (str(TESTDATA / "sample" / name) for name in ("qrels", "bm25.run", "splade.run"))
COMMANDS = {
    "agree": [QRELS, QRELS],
    "answers": [str(TESTDATA / "beyond" / "nuggets"), "--minimal"],
    "concordance": [QRELS, BM25, SPLADE, "-m", "AP", "-m", "RR", "--gold", "P@5"],
    "correlate": [QRELS, BM25, SPLADE, "-m", "AP", "-m", "RR"],
    "discrim": [QRELS, BM25, SPLADE, "-m", "AP"],
    "loo": [QRELS, BM25, SPLADE, "--by", "run", "--pool-depth", "10"],
    "med": [BM25, SPLADE],
    "sigtest": [QRELS, BM25, SPLADE],
}


@pytest.fixture
def ireval(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    return _in_process(run_command, capsysbinary, monkeypatch)


@pytest.mark.parametrize("command", COMMANDS)
def test_layouts_of_scores_are_refused(command: str, ireval: Callable[..., Outcome]) -> None:
    refused = [name for name in FORMATS if name not in STUDY_FORMATS]
    assert {"trec", "ndeval", "nev", "matrix", "means", "Dnev"} <= set(refused)
    for name in refused:
        done = ireval(command, *COMMANDS[command], "-f", name)
        assert (done.status, done.out) == (2, b"")
        assert done.message == (
            f"-f {name} is a layout of scores; this takes table, markdown, latex, csv, tsv, json, jsonl"
        )


def test_the_others_can_be_written() -> None:
    assert set(READING) < set(STUDY_FORMATS) < set(FORMATS)
