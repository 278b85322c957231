"""Bad sessions, clicks, nuggets, matches and texts are refused: file, line, field, reason, and no output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

BEYOND = TESTDATA / "beyond"
QRELS = b"s1 0 a 1\ns2 0 a 1\n"
LISTS = b"s1 1 a 1 9 t\ns1 1 b 2 8 t\ns2 2 a 1 7 t\n"
CLICKS = b"s1 1 2 100\n"
NUGGETS = b"q1 v 1 10\nq1 u 2 20\nq2 v 1 5\n"
MATCHES = b"q1 syslen= 50\nq1 v 20\nq2 syslen= 9\n"
NUGGET_TEXTS = b"q1\tv\t1\tred green\nq1\tu\t2\tblue\n"
ANSWER_TEXTS = b"q1\tred and blue\n"
TEXTS = b"a\tone two\nb\tthree\n"


def bad(name: str, text: bytes, message: str, status: int = 2) -> tuple[str, bytes, str, int]:
    return name, text, message, status


CASES = [
    # sessions
    bad("lists", b"", "lists: expected lines of 6 fields (session query document rank score tag), found an empty file"),
    bad(
        "lists",
        LISTS + b"s1 2 c\n",
        "lists:4: line: expected 6 fields (session query document rank score tag), found 3 fields",
    ),
    bad(
        "lists",
        LISTS + b"s1 x c 1 2 t\n",
        'lists:4: query: expected its number in the session, 1 to 10000, found "x"',
    ),
    bad(
        "lists",
        LISTS + b"s1 0 c 1 2 t\n",
        'lists:4: query: expected its number in the session, 1 to 10000, found "0"',
    ),
    bad(
        "lists",
        b"s1 1.5 c 1 2 t\n" + LISTS,
        'lists:1: query: expected its number in the session, 1 to 10000, found "1.5"',
    ),
    bad(
        "lists",
        b"s1 99999 c 1 2 t\ns1 x c 1 2 t\n",
        'lists:1: query: expected its number in the session, 1 to 10000, found "99999"',
    ),
    bad("lists", LISTS + b"s1 2 c 1 high t\n", 'lists:4: score: expected a number, found "high"'),
    bad("lists", LISTS + b"s1 2 \x00 1 2 t\n", "lists:4: expected text, found binary data (byte 0x00)"),
    bad(
        "lists",
        LISTS + b"s1 1 a 1 2 t\n",
        'lists:4: document: expected each document once in a topic, found "a" of topic s1, query 1 again '
        "(first on line 1)",
    ),
    bad("qrels", b"s1 0 a\n", "qrels:1: line: expected 4 fields (topic iteration document level), found 3 fields"),
    # clicks
    bad("clicks", b"# none\n", "clicks: expected lines of 4 fields (session query rank length), found an empty file"),
    bad(
        "clicks", CLICKS + b"s1 1 1\n", "clicks:2: line: expected 4 fields (session query rank length), found 3 fields"
    ),
    bad("clicks", CLICKS + b"s1 1 0 5\n", 'clicks:2: rank: expected a rank from 1 on, found "0"'),
    bad("clicks", CLICKS + b"s1 1 1 -5\n", 'clicks:2: length: expected a number of characters, found "-5"'),
    bad("clicks", CLICKS + b"s1 1 1 5.5\n", 'clicks:2: length: expected a number of characters, found "5.5"'),
    bad(
        "clicks",
        CLICKS + b"s1 1 3 5\n",
        "clicks:2: rank: expected one of the 2 documents of session s1, query 1, found rank 3",
    ),
    bad(
        "clicks",
        CLICKS + b"s1 2 1 5\n",
        "clicks:2: query: expected a query of lists, found session s1, query 2, which has no documents",
    ),
    bad(
        "clicks",
        CLICKS + b"s1 7 1 5\n",
        "clicks:2: query: expected a query of lists, found session s1, query 7, which has no documents",
    ),
    # what sessions are about
    bad("about", b"s1\n", "about:1: line: expected 2 fields (session topic), found 1 field"),
    bad("about", b"#\n", "about: expected lines of 2 fields (session topic), found an empty file"),
    bad(
        "about",
        b"s1 s1\ns2 s1\ns1 s2\n",
        'about:3: session: expected each session once, found "s1" again (first on line 1)',
    ),
    # nuggets
    bad("nuggets", b"", "nuggets: expected lines of 4 fields (topic nugget weight length), found an empty file"),
    bad(
        "nuggets",
        NUGGETS + b"q2 w 1\n",
        "nuggets:4: line: expected 4 fields (topic nugget weight length) as on the first line, found 3 fields",
    ),
    bad("nuggets", b"q1 v heavy 10\n", 'nuggets:1: weight: expected a weight from 0 on, found "heavy"'),
    bad("nuggets", NUGGETS + b"q2 w -1 10\n", 'nuggets:4: weight: expected a weight from 0 on, found "-1"'),
    bad("nuggets", NUGGETS + b"q2 w inf 10\n", 'nuggets:4: weight: expected a weight from 0 on, found "inf"'),
    bad("nuggets", NUGGETS + b"q2 w 1 0\n", 'nuggets:4: length: expected a number of characters from 1 on, found "0"'),
    bad("nuggets", NUGGETS + b"q2 w 1 x\n", 'nuggets:4: length: expected a number of characters from 1 on, found "x"'),
    bad(
        "nuggets",
        NUGGETS + b"q1 v 1 3\n",
        'nuggets:4: nugget: expected each nugget once, found "v" of topic q1 again (first on line 1)',
    ),
    bad("nuggets", NUGGETS + b"q3 v 0 3\n", "nuggets:4: weight: expected a nugget of topic q3 above 0, found none"),
    bad("nuggets", b"q1 v -1 10\nq1 u x 10\n", 'nuggets:1: weight: expected a weight from 0 on, found "-1"'),
    # matches
    bad(
        "matches", b"q1 v 3\n", "matches:1: length: expected the length of the answer of topic q1 (syslen=), found none"
    ),
    bad("matches", MATCHES + b"q2 x 4\n", 'matches:4: nugget: expected a nugget of nuggets, found "x"'),
    bad("matches", MATCHES + b"q2 v x\n", 'matches:4: offset: expected a number of characters from 0 on, found "x"'),
    bad("matches", MATCHES + b"q2 v -4\n", 'matches:4: offset: expected a number of characters from 0 on, found "-4"'),
    bad("matches", b"q1 syslen= x\n", 'matches:1: length: expected a number of characters from 0 on, found "x"'),
    bad(
        "matches", MATCHES + b"q2 syslen= 4\n", "matches:4: length: expected one length for each answer, found another"
    ),
    bad(
        "matches",
        MATCHES + b"q2 v\n",
        "matches:4: line: expected 3 fields (topic nugget offset) as on the first line, found 2 fields",
    ),
    bad(
        "matches", b"syslen= 5\n", "matches: expected lines that begin with a topic, as nuggets has several, found none"
    ),
    bad("matches", b"", "matches: expected lines of 3 fields (topic nugget offset), found an empty file"),
    # texts of nuggets and answers
    bad(
        "nugget_texts",
        b"q1 v 1 red\n",
        "nugget_texts:1: line: expected 4 fields (topic nugget weight text) with tabs between them, found 1",
    ),
    bad("nugget_texts", b"q1\tv\tx\tred\n", 'nugget_texts:1: weight: expected a weight from 0 on, found "x"'),
    bad("nugget_texts", b"q1\tv\tnan\tred\n", 'nugget_texts:1: weight: expected a weight from 0 on, found "nan"'),
    bad("nugget_texts", b"q1\tv\t1\t \n", "nugget_texts:1: text: expected a text, found nothing"),
    bad("nugget_texts", b"q1\t\t1\tred\n", "nugget_texts:1: nugget: expected a name, found nothing"),
    bad(
        "answer_texts",
        b"",
        "answer_texts: expected lines of 2 fields (id text) with tabs between them, found an empty file",
    ),
    bad("answer_texts", ANSWER_TEXTS + b"q1\t\xff\n", "answer_texts:2: expected UTF-8 text, found the byte 0xff"),
    # texts
    bad("texts.tsv", TEXTS + b"c\n", "texts.tsv:3: line: expected 2 fields (id text) with tabs between them, found 1"),
    bad("texts.tsv", TEXTS + b"\ta\n", "texts.tsv:3: id: expected a name, found nothing"),
    bad("texts.tsv", TEXTS + b"a\tx\n", 'texts.tsv:3: id: expected each id once, found "a" again (first on line 1)'),
    bad("texts.tsv", TEXTS + b"c\tx\x00y\n", "texts.tsv:3: expected text, found a NUL byte"),
    bad("texts.tsv", TEXTS + b"\n\nc\t\xe9t\xe9\n", "texts.tsv:5: expected UTF-8 text, found the byte 0xe9"),
    bad("texts.tsv", b"\xff\xfea\x00", "texts.tsv: expected plain or UTF-8 text, found UTF-16"),
    bad(
        "texts.tsv",
        b"# only this\n",
        "texts.tsv: expected lines of 2 fields (id text) with tabs between them, found an empty file",
    ),
]
SESSION, ANSWERS = ("session", "qrels", "lists"), ("answers", "nuggets", "matches")
BY_TEXT = ("answers", "--texts", "nugget_texts", "answer_texts")
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "lists": SESSION,
    "qrels": SESSION,
    "clicks": (*SESSION, "--clicks", "clicks"),
    "about": (*SESSION, "--session-topics", "about"),
    "nuggets": ANSWERS,
    "matches": ANSWERS,
    "nugget_texts": BY_TEXT,
    "answer_texts": BY_TEXT,
    "texts.tsv": ("rouge", "texts.tsv", "reference.tsv"),
}
GOOD = {
    "qrels": QRELS,
    "lists": LISTS,
    "clicks": CLICKS,
    "about": b"s1 s1\ns2 s2\n",
    "nuggets": NUGGETS,
    "matches": MATCHES,
    "nugget_texts": NUGGET_TEXTS,
    "answer_texts": ANSWER_TEXTS,
    "texts.tsv": TEXTS,
    "reference.tsv": TEXTS,
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Good files of every kind, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, text in GOOD.items():
        (tmp_path / name).write_bytes(text)
    return tmp_path


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_other_files_are_good(name: str, files: Path, our_command: Door) -> None:
    got = our_command(*ARGUMENTS[name], "--quiet")
    assert (got.status, got.err) == (0, "") and got.out


@pytest.mark.parametrize("block_size", [None, 30])
@pytest.mark.parametrize(
    ("name", "text", "message", "status"), CASES, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(CASES)]
)
def test_refused(
    name: str,
    text: bytes,
    message: str,
    status: int,
    block_size: int | None,
    files: Path,
    our_command: Door,
    small_blocks: Callable[[int], None],
) -> None:
    (files / name).write_bytes(text)
    if block_size is not None:
        small_blocks(block_size)
    got = our_command(*ARGUMENTS[name])
    assert (got.message, got.status, got.out) == (message, status, b"")


def test_excerpt_points_at_the_fault(files: Path, our_command: Door) -> None:
    (files / "clicks").write_bytes(CLICKS + b"s2 two 1 5\n")
    assert our_command(*ARGUMENTS["clicks"]).err.split("\n")[1:3] == ["    s2 two 1 5", "       ^^^"]


@pytest.mark.parametrize("command", ["session", "answers", "rouge"])
def test_no_file_to_read(command: str, files: Path, our_command: Door) -> None:
    got = our_command(command, "none", "nor this")
    assert got.status == 2 and got.message.endswith(": no such file or directory")


def test_folders(files: Path, our_command: Door) -> None:
    (files / "s").mkdir()
    (files / "r").mkdir()
    got = our_command("rouge", "s", "r")
    assert (got.status, got.message) == (2, "r: expected a folder of texts, found no file in it")
    for folder in ("s", "r"):
        (files / folder / "a.txt").write_text("x")
    (files / "r" / "a.md").write_text("x")
    got = our_command("rouge", "s", "r")
    assert (got.status, got.message) == (2, 'r/a.txt: expected one text for each id, found "a" again')
    (files / "r" / "a.md").unlink()
    (files / "s" / "a.txt").write_bytes(b"good\nb\xe4d\n")
    got = our_command("rouge", "s", "r")
    assert (got.status, got.message) == (2, "s/a.txt:2: expected UTF-8 text, found the byte 0xe4")


def test_harmless_oddities(files: Path, our_command: Door) -> None:
    """Tabs, carriage returns, comments, blank lines, a byte-order mark, a missing last newline, extra run columns."""
    for name in ("lists", "clicks", "about", "nuggets", "matches", "qrels"):
        want = our_command(*ARGUMENTS[name], "-f", "csv").out
        odd = b"\xef\xbb\xbf# comment\r\n\n" + GOOD[name].replace(b" ", b"\t", 2).replace(b"\n", b"  \r\n").rstrip()
        (files / name).write_bytes(odd)
        assert our_command(*ARGUMENTS[name], "-f", "csv").out == want, name
    (files / "lists").write_bytes(LISTS.replace(b" t\n", b" t more\n"))
    assert our_command(*ARGUMENTS["lists"], "-f", "csv").out
