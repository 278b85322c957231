"""Bad input is refused with `file:line: field: expected ..., found ...`, the right exit status, and no output."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

from ireval.errors import DuplicateError, InputError, printable
from ireval.read.source import Source
from ireval.read.trec import read_judgements, read_run, stream_run

MALFORMED = TESTDATA / "malformed"
EXPECTED = [line.split("\t") for line in (MALFORMED / "expected.txt").read_text().splitlines()]
ARGUMENTS: dict[str, Callable[[str], list[str]]] = {
    ".run": lambda name: ["good.qrels", name],
    ".qrels": lambda name: [name, "good.run"],
    ".qrels_jg": lambda name: ["-R", "qrels_jg", "-m", "qrels_jg", name, "good.run"],
    ".qrels_prefs": lambda name: ["-R", "qrels_prefs", "-m", "prefs", name, "good.run"],
    ".prefs": lambda name: ["-R", "prefs", "-m", "prefs", name, "good.run"],
    ".zscores": lambda name: ["-Z", name, "good.qrels", "good.run"],
}


def test_every_file_is_expected() -> None:
    kept = {"README.md", "expected.txt", "good.run", "good.qrels"}
    assert sorted(name for name, _, _ in EXPECTED) == sorted({p.name for p in MALFORMED.iterdir()} - kept)


def test_the_other_side_is_good(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(MALFORMED)
    got = door("-m", "map", "good.qrels", "good.run")
    assert (got.status, got.err) == (0, "") and got.out.startswith(b"map ")


@pytest.mark.parametrize("compat", ["9", "10"])
@pytest.mark.parametrize(("name", "status", "message"), EXPECTED, ids=[name for name, _, _ in EXPECTED])
def test_refused(
    name: str, status: str, message: str, compat: str, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(MALFORMED)
    got = door("--compat", compat, "-q", *ARGUMENTS[os.path.splitext(name)[1]](name))
    assert got.message == message
    assert got.status == int(status)
    assert got.out == b""
    assert "expected" in message or status == "4"


@pytest.mark.parametrize("block_size", [40, 100])
def test_block_size_does_not_show_in_a_message(
    block_size: int, door: Door, small_blocks: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(MALFORMED)
    small_blocks(block_size)
    for name, status, message in EXPECTED:
        if name.startswith("damaged"):
            continue  # what comes out before the damage is noticed may be no run at all
        got = door(*ARGUMENTS[os.path.splitext(name)[1]](name))
        assert (got.message, got.status, got.out) == (message, int(status), b""), name


def test_standard_input_is_named(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(MALFORMED)
    got = door("good.qrels", "-", stdin=(MALFORMED / "text-score.run").read_bytes())
    assert got.message == '<stdin>:3: score: expected a number, found "high"'
    got = door("-", "good.run", stdin=(MALFORMED / "text-level.qrels").read_bytes())
    assert got.message == '<stdin>:2: level: expected a whole number, found "relevant"'
    got = door("-", "-", stdin=b"")
    assert (got.status, got.message) == (2, "standard input can be the judgements or the run, not both")


@pytest.mark.parametrize("side", ["run", "qrels"])
def test_no_file_to_read(side: str, door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, message in (
        ("none", "none: no such file or directory"),
        ("folder", "folder: expected a file, found a directory"),
        ("good\x1b[31m", "good\\x1b[31m: no such file or directory"),
    ):
        files = [MALFORMED / "good.qrels", name] if side == "run" else [name, MALFORMED / "good.run"]
        got = door(*files)
        assert (got.status, got.message, got.out) == (2, message, b"")


def test_excerpt_points_at_the_fault(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(MALFORMED)
    assert door("good.qrels", "text-score.run").err.split("\n") == [
        'ireval: text-score.run:3: score: expected a number, found "high"',
        "    301 Q0 FT911-3 3 high myrun",
        "                     ^^^^",
        "",
    ]


def test_excerpt_of_odd_lines() -> None:
    tabs = InputError("f", 1, "x", "y", text=b"a\tb\tx\xc2\x9b\tc\r", span=(4, 7))
    assert tabs.excerpt() == ["    a b x\\x9b c", "        ^^^^^"]
    long = InputError("f", 1, "x", "y", text=b"a" * 300 + b" bad " + b"z" * 300, span=(301, 304))
    line, carets = long.excerpt()
    assert len(line) <= 164 and line[carets.index("^") : carets.index("^") + 3] == "bad"
    assert InputError("f", 1, "x", "y").excerpt() == []
    assert InputError("f", None, "", "y").message() == "f: y"
    assert str(DuplicateError("f", 3, "document", "y")) == "f:3: document: y"


def test_control_characters_never_reach_the_terminal(door: Door, tmp_path: Path) -> None:
    """Also those that UTF-8 hides: U+009B starts an escape sequence on some terminals."""
    odd = "\u009b31mred\u202e\u0007".replace("\u0007", "").encode()
    (tmp_path / "run").write_bytes(b"301 Q0 a 1 " + odd + b" t\n")
    got = door(MALFORMED / "good.qrels", tmp_path / "run")
    assert got.status == 2 and 'found "\\x9b31mred\\u202e"' in got.message
    (tmp_path / "run").write_bytes(b"301 Q0 %s 1 2 t\n301 Q0 %s 2 1 t\n" % (odd, odd))
    got = door(MALFORMED / "good.qrels", tmp_path / "run")
    assert got.status == 4
    assert all(character.isprintable() or character == "\n" for character in got.err)
    assert printable(b"a\x00\x1b[1m\xff\xc3\xa9") == "a\\x00\\x1b[1m\\xffé"
    assert len(printable("x" * 500)) == 120


def test_a_very_long_field_is_cut(door: Door, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"301 Q0 a 1 " + b"x" * 100_000 + b" t\n")
    got = door(MALFORMED / "good.qrels", tmp_path / "run")
    assert got.status == 2 and len(got.err) < 1000


# -- which fault, which line ----------------------------------------------------------------------------------------


def run_with(faults: dict[int, bytes], lines: int = 600, topics: int = 1) -> bytes:
    """A long run in which some lines (from 1) are replaced."""
    good = {n: b"%d Q0 doc%d %d %d.25 t" % (n * topics // (lines + 1), n, n, 10_000 - n) for n in range(1, lines + 1)}
    return b"".join(line + b"\n" for line in {**good, **faults}.values())


SHORT, TEXT, BINARY = b"0 Q0 doc 1", b"0 Q0 doc 1 x1 t", b"0 Q0 d\x01oc 1 1 t"


@pytest.mark.parametrize("block_size", [None, 300])
@pytest.mark.parametrize("topics", [1, 40])
@pytest.mark.parametrize(
    ("faults", "line", "why"),
    [
        ({20: TEXT, 500: SHORT}, 20, 'score: expected a number, found "x1"'),
        ({20: SHORT, 500: TEXT}, 20, "line: expected 6 fields (topic Q0 document rank score tag), found 4 fields"),
        ({20: TEXT, 21: BINARY}, 20, 'score: expected a number, found "x1"'),
        ({20: BINARY, 21: TEXT}, 20, "expected text, found binary data (byte 0x01)"),
        ({20: SHORT, 21: BINARY}, 20, "line: expected 6 fields (topic Q0 document rank score tag), found 4 fields"),
        ({500: TEXT}, 500, 'score: expected a number, found "x1"'),
        ({599: SHORT}, 599, "line: expected 6 fields (topic Q0 document rank score tag), found 4 fields"),
        ({600: BINARY}, 600, "expected text, found binary data (byte 0x01)"),
        ({1: TEXT}, 1, 'score: expected a number, found "x1"'),
        ({7: b"# comment", 8: b"", 9: b"  ", 300: b"#", 400: TEXT}, 400, 'score: expected a number, found "x1"'),
    ],
    ids=str,
)
def test_the_first_fault_is_told(
    faults: dict[int, bytes],
    line: int,
    why: str,
    topics: int,
    block_size: int | None,
    tmp_path: Path,
    small_blocks: Callable[[int], None],
) -> None:
    (tmp_path / "run").write_bytes(run_with(faults, topics=topics))
    if block_size is not None:
        small_blocks(block_size)
    for read in (read_run, lambda source: list(stream_run(source))):
        with pytest.raises(InputError) as error:
            read(Source(tmp_path / "run"))
        assert error.value.message() == f"{tmp_path}/run:{line}: {why}"
        if error.value.text is not None:
            assert error.value.text.strip() == faults[line]


def test_the_first_of_two_columns(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(run_with({30: b"0 Q0 d r 5 t", 40: b"0 Q0 d 1 s t", 20: b"0 Q0 d 1.5 s t"}))
    with pytest.raises(InputError, match=r"run:20: rank: expected a whole number, found \"1.5\""):
        read_run(Source(tmp_path / "run"), with_ranks=True)
    with pytest.raises(InputError, match="run:20: score"):
        read_run(Source(tmp_path / "run"))


@pytest.mark.parametrize("block_size", [1 << 20, 200])
@pytest.mark.parametrize(
    ("faults", "line", "why"),
    [
        ({40: b"1 0 d 5000000000", 60: b"1 0 d x"}, 40, "expected a smaller whole number"),
        ({40: b"1 0 d x", 60: b"1 0 d 5000000000"}, 40, "expected a whole number"),
        ({40: b"1 0 d -5000000000"}, 40, "expected a smaller whole number"),
        ({40: b"1 0 d 2147483648"}, 40, "expected a smaller whole number"),
        ({150: b"1 0 d"}, 150, "expected 4 fields"),
        ({40: b"1 0 d 1 2", 150: b"1 0 d"}, 40, "found 5 fields"),
    ],
    ids=str,
)
def test_the_first_fault_in_judgements(
    faults: dict[int, bytes], line: int, why: str, block_size: int, tmp_path: Path, small_blocks: Callable[[int], None]
) -> None:
    good = {n: b"%d 0 doc%d %d" % (n // 30, n, n % 4) for n in range(1, 200)}
    (tmp_path / "q").write_bytes(b"".join(text + b"\n" for text in {**good, **faults}.values()))
    small_blocks(block_size)
    with pytest.raises(InputError, match=f"q:{line}: .*{re.escape(why)}"):
        read_judgements(Source(tmp_path / "q"))


def test_largest_levels_are_fine(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 2147483647\n1 0 b -2147483647\n")
    assert read_judgements(Source(tmp_path / "q")).levels.tolist() == [2147483647, -2147483647]


@pytest.mark.parametrize("block_size", [None, 300])
def test_duplicates_far_apart(
    block_size: int | None, door: Door, tmp_path: Path, small_blocks: Callable[[int], None]
) -> None:
    """Both lines are named, the first of several pairs, also when the topics are interleaved."""
    (tmp_path / "qrels").write_bytes(b"0 0 doc1 1\n3 0 doc1 1\n")
    grouped = run_with({15: b"0 Q0 doc3 1 7 t", 400: b"0 Q0 doc399 1 1 t"})
    interleaved = run_with({15: b"0 Q0 doc3 1 7 t", 5: b"3 Q0 doc3 1 1 t", 550: b"3 Q0 doc3 1 1 t"})
    if block_size is not None:
        small_blocks(block_size)
    for run in (grouped, interleaved):
        (tmp_path / "run").write_bytes(run)
        got = door(tmp_path / "qrels", tmp_path / "run")
        assert (got.status, got.out) == (4, b"")
        assert got.message == (
            f'{tmp_path}/run:15: document: expected each document once in a topic, found "doc3" of topic 0 again '
            "(first on line 3)"
        )


def test_damage_beyond_the_first_block(tmp_path: Path, small_blocks: Callable[[int], None]) -> None:
    """A broken end is found although every line before it was good."""
    packed = gzip.compress(run_with({}, 5000, 50), mtime=0)
    (tmp_path / "run").write_bytes(packed[:-4000])
    small_blocks(5000)
    with pytest.raises(InputError, match="ends too early"):
        list(stream_run(Source(tmp_path / "run")))
    (tmp_path / "run").write_bytes(packed[:-6] + b"\x00" + packed[-5:])
    with pytest.raises(InputError, match=r"is damaged .*crc"):
        read_run(Source(tmp_path / "run"))
    (tmp_path / "run").write_bytes(packed[:3000] + bytes(500) + packed[3500:])
    with pytest.raises(InputError):  # the damage itself, or a line that came out of it
        read_run(Source(tmp_path / "run"))
