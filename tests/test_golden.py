"""Every golden case: the same bytes and exit status as the reference tools. Provenance: testdata/golden/README.md."""

from __future__ import annotations

import shlex

import pytest
from conftest import TESTDATA, Door

GOLDEN = TESTDATA / "golden"
CASES = [line.split("\t") for line in (GOLDEN / "cases.txt").read_text().splitlines()]
DOOR_ARGUMENTS = {"trec_eval-10": [], "trec_eval-9": ["--compat", "9"]}
TREC_EVAL = [case for case in CASES if case[2].startswith("trec_eval-")]
NTCIR_EVAL = [case for case in CASES if case[2].startswith("ntcir_eval-230128 ")]
NDEVAL = [case for case in CASES if case[2].startswith("ndeval-4.5 ")]
GDEVAL = [case for case in CASES if case[2].startswith("gdeval-1.3 ")]


def test_all_cases_are_here() -> None:
    assert (len(TREC_EVAL), len(NTCIR_EVAL), len(NDEVAL), len(GDEVAL), len(CASES)) == (82, 44, 17, 11, 154)
    outputs = {path.name for path in (GOLDEN / "expected").iterdir() if not path.name.startswith("diversity-")}
    assert {name for name, _, _ in CASES} == outputs


@pytest.mark.parametrize(("name", "status", "command"), TREC_EVAL, ids=[name for name, _, _ in TREC_EVAL])
def test_golden(name: str, status: str, command: str, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN / "worlds")
    tool, *arguments = shlex.split(command)
    got = door(*DOOR_ARGUMENTS[tool], *arguments)
    assert got.out == (GOLDEN / "expected" / name).read_bytes()
    assert got.status == int(status)


@pytest.mark.parametrize(("name", "status", "command"), NTCIR_EVAL, ids=[name for name, _, _ in NTCIR_EVAL])
def test_golden_ntcir_eval(
    name: str, status: str, command: str, ntcir_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GOLDEN / "worlds")
    got = ntcir_door(*shlex.split(command)[1:])
    want = (GOLDEN / "expected" / name).read_bytes()
    assert got.out == want
    assert status == "0"  # NTCIREVAL's, whatever happens
    assert got.status == (0 if want else 2)


@pytest.mark.parametrize(("name", "status", "command"), [*NDEVAL, *GDEVAL], ids=[c[0] for c in (*NDEVAL, *GDEVAL)])
def test_golden_web_track(
    name: str, status: str, command: str, ndeval_door: Door, gdeval_door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GOLDEN / "worlds")
    tool, *arguments = shlex.split(command)
    got = (ndeval_door if tool.startswith("ndeval") else gdeval_door)(*arguments)
    assert got.out == (GOLDEN / "expected" / name).read_bytes()
    assert got.status == int(status) == 0


def test_compat_from_the_environment(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN / "worlds")
    monkeypatch.setenv("IREVAL_COMPAT", "9")
    name, _, command = next(case for case in CASES if case[2].startswith("trec_eval-9 -q -m all_trec"))
    assert door(*shlex.split(command)[1:]).out == (GOLDEN / "expected" / name).read_bytes()


def test_golden_in_small_blocks(door: Door, small_blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block size never shows in an answer, whatever the layout of the files."""
    monkeypatch.chdir(GOLDEN / "worlds")
    small_blocks(700)
    chosen = [case for case in TREC_EVAL if "-m all_" in case[2] or "-m qrels_jg" in case[2] or "-Z" in case[2]]
    assert len(chosen) > 30
    for name, _, command in chosen:
        tool, *arguments = shlex.split(command)
        assert door(*DOOR_ARGUMENTS[tool], *arguments).out == (GOLDEN / "expected" / name).read_bytes(), command
