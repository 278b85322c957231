"""Which door opens, and the manners of the trec_eval door: its options, its exit codes, its silence."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TESTDATA, Door, Outcome

import ireval
from ireval import __main__ as program

SAMPLE = TESTDATA / "sample"
QRELS, BM25, COLBERT = (SAMPLE / name for name in ("qrels", "bm25.run", "colbert.run"))
MISSING = "ireval: 28 of 30 judged topics scored; 2 missing (307, 319), left out of the means; -c counts them as 0\n"


@pytest.fixture
def call(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """The program as the shell calls it, by this name and with these arguments, in this process."""

    def run(*argv: str | Path, name: str = "/usr/bin/ireval", stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", [name, *map(str, argv)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        status = program.main()
        out, err = capsysbinary.readouterr()
        return Outcome(status, out, err.decode())

    return run


Call = Callable[..., Outcome]


def lines(out: bytes) -> list[tuple[str, str, str]]:
    return [(name.strip(), topic, value) for name, topic, value in (x.split("\t") for x in out.decode().splitlines())]


def values(out: bytes) -> dict[str, str]:
    """{measure: value} of the summary."""
    return {name: value for name, topic, value in lines(out) if topic == "all"}


# -- which door -----------------------------------------------------------------------------------------------------


def test_three_ways_to_the_trec_eval_door(call: Call, door: Door) -> None:
    direct = door("-m", "map", QRELS, COLBERT)
    assert values(direct.out) == {"map": "0.4760"}
    assert call("-m", "map", QRELS, COLBERT) == direct
    assert call("trec_eval", "-m", "map", QRELS, COLBERT) == direct
    assert call("-m", "map", QRELS, COLBERT, name="/opt/bin/trec_eval") == direct
    assert call(QRELS, COLBERT).out == door(QRELS, COLBERT).out


def test_a_link_named_trec_eval(tmp_path: Path) -> None:
    script = shutil.which("ireval", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("ireval is not installed beside this Python")
    link = tmp_path / "trec_eval"
    link.symlink_to(script)
    done = subprocess.run([link, "-m", "map", QRELS, COLBERT], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "map                   \tall\t0.4760\n", "")
    for arguments in ([], ["--version"], ["eval"], ["measures"]):  # ours are not reached through it
        done = subprocess.run([link, *arguments], capture_output=True, text=True, timeout=60)
        assert done.stdout == ""
        assert "trec_eval" in done.stderr
        assert done.returncode == (0 if arguments == ["--version"] else 1)


def test_files_that_are_called_like_commands(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(QRELS, "eval")
    shutil.copy(COLBERT, "trec_eval")
    expected = call("-m", "map", QRELS, COLBERT)
    assert call("./eval", "trec_eval", "-m", "map") == expected
    assert call("-m", "map", "eval", "trec_eval") == expected
    assert call("trec_eval", "-m", "map", "eval", "trec_eval") == expected
    assert call("eval", "trec_eval", "-m", "map").status == 2  # our command, which lacks a run


def test_help_and_version_are_ours(call: Call) -> None:
    for arguments in ((), ("--help",)):
        got = call(*arguments)
        assert (got.status, got.err) == (0, "")
        assert got.out.decode().startswith("Usage: ireval [OPTIONS]")
        for word in ("eval", "measures", "trec_eval"):
            assert re.search(rf"^  {word} ", got.out.decode(), re.M)
    assert call("--version") == Outcome(0, f"ireval {ireval.__version__}\n".encode(), "")
    assert call("eval", "--help").out.decode().startswith("Usage: ireval eval ")
    assert call("measures", "-h").out.decode().startswith("Usage: ireval measures ")


def test_help_and_version_of_the_door(call: Call) -> None:
    for arguments in (("-h",), ("-q", "--help"), ("trec_eval", "--help"), ("trec_eval", "--he"), ("--he",)):
        got = call(*arguments)
        assert (got.status, got.err) == (0, ""), arguments
        assert got.out.decode().startswith("trec_eval [options] judgements run")
    assert call("-v") == Outcome(0, b"", f"trec_eval version 10.0 (ireval {ireval.__version__})\n")
    assert call("trec_eval", "--version").err == f"trec_eval version 10.0 (ireval {ireval.__version__})\n"
    assert call("--compat", "9", "-v").err == f"trec_eval version 9.0.8 (ireval {ireval.__version__})\n"


def test_mistyped_command(call: Call) -> None:
    got = call("evl", QRELS, COLBERT)
    assert (got.status, got.out) == (1, b"")
    assert got.message == 'no command "evl"; did you mean ireval eval?'
    assert "Usage: trec_eval" in got.err
    assert call("mesures").message == 'no command "mesures"; did you mean ireval measures?'
    assert "did you mean" not in call("qwertz", QRELS, COLBERT).err


# -- options --------------------------------------------------------------------------------------------------------


def test_options_after_and_between_the_files(door: Door) -> None:
    expected = door("-q", "-m", "map", "-l", "2", QRELS, COLBERT)
    assert door(QRELS, "-q", "-mmap", COLBERT, "-l2") == expected
    assert door(QRELS, COLBERT, "--measure=map", "--query", "--level", "2") == expected
    assert len(lines(expected.out)) == 31


def test_what_follows_two_dashes_is_a_file(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(QRELS, "-q")
    shutil.copy(COLBERT, "--compat")
    got = door("-m", "map", "--", "-q", "--compat")
    assert (got.status, lines(got.out)) == (0, [("map", "all", "0.4760")])


def test_abbreviations_resolve_against_trec_evals_own_options(door: Door) -> None:
    """--comp is complete_rel_info_wanted, although we have a --compat."""
    complete = door("-c", "-m", "map", QRELS, BM25)
    assert values(complete.out) == {"map": "0.3067"}
    for spelling in ("--c", "--comp", "--complete_rel"):
        assert door(spelling, "-m", "map", QRELS, BM25) == complete
    got = door("--compa", "9", QRELS, BM25)
    assert (got.status, got.out) == (1, b"")
    got = door("--Re", "qrels", QRELS, COLBERT)  # Rel_info_format or Results_format
    assert (got.status, got.out) == (1, b"")
    assert "not a unique prefix" in got.err


def test_compat(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    ten = door("-m", "Rprec_mult", "-m", "rbp", QRELS, COLBERT)
    assert (ten.status, values(ten.out)["rbp"] != "") == (0, True)
    assert door("--compat", "10", "-m", "Rprec_mult", "-m", "rbp", QRELS, COLBERT) == ten
    expected = Outcome(1, b"", "ireval: rbp is not in trec_eval 9\n")
    for spelling in (("--compat", "9"), ("--compat=9",)):
        assert door(*spelling, "-m", "rbp", QRELS, COLBERT) == expected
        assert door("-m", "rbp", QRELS, COLBERT, *spelling) == expected
    monkeypatch.setenv("IREVAL_COMPAT", "9")
    assert door("-m", "rbp", QRELS, COLBERT) == expected
    assert door("--compat", "10", "-m", "rbp", QRELS, COLBERT).status == 0


@pytest.mark.parametrize("value", ["8", "9.0", "", "ten"])
def test_bad_compat(door: Door, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    expected = Outcome(1, b"", f"ireval: --compat: expected 9 or 10, found {value}\n")
    assert door("--compat", value, QRELS, COLBERT) == expected
    if value:
        monkeypatch.setenv("IREVAL_COMPAT", value)
        assert door(QRELS, COLBERT) == expected


def test_the_first_parameters_of_a_measure_count(door: Door, call: Call) -> None:
    assert list(values(door("-m", "P.5", "-m", "P.10", QRELS, COLBERT).out)) == ["P_5"]
    assert list(values(door("-m", "P", "-m", "P.7", QRELS, COLBERT).out)) == ["P_7"]
    assert list(values(call("eval", QRELS, COLBERT, "-m", "P.5", "-m", "P.10", "-f", "trec").out)) == ["P_5", "P_10"]


def test_measures_come_in_trec_evals_order(door: Door) -> None:
    names = list(values(door("-m", "success.1", "-m", "P.10,5", "-m", "map", "-m", "num_q", QRELS, COLBERT).out))
    assert names == ["num_q", "map", "P_5", "P_10", "success_1"]


def test_no_summary(door: Door) -> None:
    got = lines(door("-n", "-q", "-m", "map", QRELS, COLBERT).out)
    assert [topic for _, topic, _ in got] == [str(topic) for topic in range(301, 331)]
    assert door("--nosummary", "-m", "map", QRELS, COLBERT) == Outcome(0, b"", "")


def test_one_topic(door: Door) -> None:
    whole = {line for line in lines(door("-q", "-m", "map", QRELS, COLBERT).out) if line[1] == "305"}
    got = lines(door("-D", "1.305", "-q", "-m", "map", "-m", "num_q", QRELS, COLBERT).out)
    assert set(got) == whole | {("num_q", "all", "1"), ("map", "all", next(iter(whole))[2])}
    assert lines(door("-D1", "-m", "num_q", QRELS, COLBERT).out) == [("num_q", "all", "30")]
    assert door("-D", "1.999", QRELS, COLBERT).status == 7


def test_zscores_that_are_missing(door: Door, tmp_path: Path) -> None:
    (tmp_path / "z").write_text("301 map 0.5 0.1\n302 map 0.5 0\n")
    got = door("-q", "-m", "map", "-Z", tmp_path / "z", QRELS, COLBERT)
    assert (got.status, got.err) == (0, "")
    found = {topic: value for name, topic, value in lines(got.out) if name == "Zmap"}
    plain = {topic: value for _, topic, value in lines(door("-q", "-m", "map", QRELS, COLBERT).out)}
    assert float(found["301"]) == pytest.approx((float(plain["301"]) - 0.5) / 0.1, abs=1e-3)
    assert found["302"] == found["303"] == "-1000000.0000"
    assert float(found["all"]) == pytest.approx((float(found["301"]) - 29 * 1000000) / 30, abs=1e-3)


def test_help_tells_about_formats_and_named_measures(door: Door) -> None:
    text = door("-h", "-m", "ndcg_cut", "-m", "bpref").out.decode()
    assert "Format trec_results: topic  Q0  document  rank  score  tag" in text
    assert "Format qrels: topic  iteration  document  level" in text
    assert re.search(r"^bpref\n    \w", text, re.M)
    assert re.search(r"^ndcg_cut\n(    .*\n)+    k: .*Default: 5,10,15", text, re.M)
    assert text.index("\nbpref\n") < text.index("\nndcg_cut\n")
    assert "\nmap\n" not in text
    assert "add -m NAME" in door("-h").out.decode()
    assert "Format prefs: " in door("-h", "-R", "prefs").out.decode()
    everything = door("-h", "-m", "all_trec", "-m", "all_prefs").out.decode()
    for option in "hvqmcnlMNJRTZD":
        assert re.search(rf"^  -{option}, --\w+", everything, re.M), option


# -- exit codes and notes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (QRELS,),
        (QRELS, COLBERT, COLBERT),
        ("-x", QRELS, COLBERT),
        ("--nope", QRELS, COLBERT),
        ("-m",),
        ("-m", "mapp", QRELS, COLBERT),
        ("-m", "P.", QRELS, COLBERT),
        ("-M", "-1", QRELS, COLBERT),
    ],
    ids=str,
)
def test_usage_ends_with_1(door: Door, arguments: tuple[str | Path, ...]) -> None:
    got = door(*arguments)
    assert (got.status, got.out) == (1, b"")
    assert "Usage: trec_eval" in got.err or got.err.startswith("ireval: ")


def test_reading_ends_with_2(door: Door, tmp_path: Path) -> None:
    broken = tmp_path / "broken.run"
    broken.write_text("301 Q0 d 1 high t\n")
    for arguments in (
        (QRELS, tmp_path / "none"),
        (tmp_path / "none", COLBERT),
        (QRELS, broken),
        (COLBERT, COLBERT),
        ("-R", "nope", QRELS, COLBERT),
        ("-T", "nope", QRELS, COLBERT),
        ("-", "-"),
        ("-Z", tmp_path / "none", QRELS, COLBERT),
    ):
        got = door(*arguments)
        assert (got.status, got.out) == (2, b""), arguments
        assert got.err.startswith("ireval: ")
    assert door(QRELS, broken).message == f'{broken}:1: score: expected a number, found "high"'


def test_duplicates_end_with_4(door: Door, tmp_path: Path) -> None:
    twice = tmp_path / "twice.run"
    twice.write_bytes(COLBERT.read_bytes() + COLBERT.read_bytes().splitlines(keepends=True)[-1])
    got = door(QRELS, twice)
    assert (got.status, got.out) == (4, b"")
    assert got.message.startswith(f"{twice}:3001: document: expected each document once in a topic")
    judged = tmp_path / "qrels"
    judged.write_bytes(QRELS.read_bytes() + QRELS.read_bytes().splitlines(keepends=True)[-1])
    got = door(judged, COLBERT)
    assert (got.status, got.out) == (4, b"")
    assert got.message.startswith(f"{judged}:2283: document: expected one judgement for each document")


def test_no_common_topic(door: Door, tmp_path: Path) -> None:
    (tmp_path / "other.run").write_text("x Q0 d 1 1 t\n")
    message = "ireval: no topic has both judgements and results\n"
    assert door(QRELS, tmp_path / "other.run") == Outcome(4, b"", message)
    assert door("--compat", "9", QRELS, tmp_path / "other.run") == Outcome(7, b"", message)


def test_missing_topics_are_left_out_and_told(door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tmp_path / "qrels"
    short.write_text("".join(x for x in QRELS.read_text().splitlines(True) if x.split()[0] not in ("307", "319")))
    got = door(QRELS, BM25)
    assert (got.status, got.err) == (0, MISSING)
    assert got.out == door(short, BM25).out
    assert values(got.out)["num_q"] == "28"
    complete = door("-c", QRELS, BM25)
    assert complete.err == "ireval: 28 of 30 judged topics scored; 2 missing (307, 319), averaged as 0\n"
    assert float(values(complete.out)["map"]) == pytest.approx(float(values(got.out)["map"]) * 28 / 30, abs=1e-4)
    assert door("--compat", "9", QRELS, BM25).err == MISSING
    extra = door(short, COLBERT)
    assert extra.err == "ireval: 28 of 28 judged topics scored; 2 topics without judgements not scored\n"
    monkeypatch.setenv("IREVAL_QUIET", "1")
    assert door(QRELS, BM25) == Outcome(0, got.out, "")
    assert door(QRELS, tmp_path / "none").err != ""  # only notes are silenced
    monkeypatch.setenv("IREVAL_QUIET", "0")
    assert door(QRELS, BM25).err == MISSING


def test_standard_input_on_either_side(door: Door) -> None:
    expected = door(QRELS, COLBERT)
    assert door(QRELS, "-", stdin=COLBERT.read_bytes()) == expected
    assert door("-", COLBERT, stdin=QRELS.read_bytes()) == expected


def test_nobody_reads_the_output() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "ireval", "-q", "-m", "all_trec", QRELS, COLBERT]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
