"""`ireval session`: worked numbers of the lecture, slow twins, laws, and what the command prints."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import oracle_beyond as oracle
import pytest
from click.shell_completion import ShellComplete
from conftest import TESTDATA, Door

import ireval
from ireval.cli.main import group
from ireval.core.sessions import Sessions
from ireval.measures.registry import measures_needing
from ireval.measures.spec import label, parse_measures

BEYOND = TESTDATA / "beyond"
QRELS, PLAIN, SUGGEST = (BEYOND / name for name in ("session.qrels", "plain.sessions", "suggest.sessions"))
RECORDS = measures_needing("sessions")


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def scores(folder: Path, qrels: list[str], lists: list[str], measures: list[str], **options: Any) -> dict[str, Any]:
    """{session: {measure: value}}."""
    if "clicks" in options:
        options["clicks"] = write(folder / "clicks", options["clicks"])
    files = write(folder / "qrels", qrels), write(folder / "system.sessions", lists)
    return ireval.evaluate_sessions(*files, measures, **options).per_topic()


def ranked(session: str, query: int, documents: str) -> list[str]:
    """A list of documents named by single letters, best first."""
    return [f"{session} {query} {d} {r} {-r} t" for r, d in enumerate(documents, 1)]


# -- worked numbers -------------------------------------------------------------------------------------------------

EXAMPLE = ["s 0 a 3", "s 0 b 1", "s 0 c 1", "s 0 d 3", "s 0 y 0"]
TWO_LISTS = [*ranked("s", 1, "axb"), *ranked("s", 2, "cdy")]
"""Gains (3, 0, 1), (1, 3, 0)."""


def test_worked_session_by_both_discounts(tmp_path: Path) -> None:
    """(3,0,1),(1,3,0): (35) by hand, and the form of 2008 with 1 + log and ranks that begin again."""
    got = scores(tmp_path, EXAMPLE, TWO_LISTS, ["sDCG", "sDCG(form=2008)"])["s"]
    by_hand = 3 + 1 / 2 + 1 / (math.log(5, 4) * math.log2(5)) + 3 / (math.log(5, 4) * math.log2(6))
    assert got["sDCG"] == pytest.approx(by_hand) == pytest.approx(4.870615, abs=5e-7)
    assert got["sDCG(form=2008)"] == pytest.approx(3 + 1 / (1 + math.log2(3)) + (1 + 3 / 2) / 1.5)
    assert got["sDCG(form=2008)"] == pytest.approx(5.053519, abs=5e-7)


def test_ideal_sessions_by_hand(tmp_path: Path) -> None:
    got = scores(tmp_path, EXAMPLE, TWO_LISTS, ["nsDCG", "nsDCG@1", "nsDCG(form=2008,ideal=repeated)@2"])["s"]
    single = 3 + 3 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert got["nsDCG"] == pytest.approx(4.870615208 / single)
    first = 3 + 1 / (math.log(5, 4) * math.log2(3))  # a, then c of the second list, against a and d in one list of two
    assert got["nsDCG@1"] == pytest.approx(first / (3 + 3 / math.log2(3)))
    shown = 3 + (1 + 3 / 2) / 1.5
    assert got["nsDCG(form=2008,ideal=repeated)@2"] == pytest.approx(shown / ((3 + 3 / 2) * (1 + 1 / 1.5)))


def test_2011_never_favours_a_later_list_and_2008_does(tmp_path: Path) -> None:
    """The only relevant document goes down through both lists: lecture, below (35)."""
    values: dict[str, list[float]] = {"2011": [], "2008": []}
    for place in range(6):
        documents = "".join("r" if i == place else chr(ord("a") + i) for i in range(6))
        lists = [*ranked("s", 1, documents[:3]), *ranked("s", 2, documents[3:])]
        for form, found in values.items():
            found.append(scores(tmp_path, ["s 0 r 1"], lists, [f"sDCG(form={form})"])["s"][f"sDCG(form={form})"])
    assert values["2011"] == sorted(values["2011"], reverse=True)
    assert values["2008"][3] > values["2008"][2]  # top of the second list against the end of the first


def test_fig_9_on_two_lists() -> None:
    """Fig. 8 (e) and (f): a click at rank 2 of the first list, then at rank 1 of the second."""
    assert oracle.click_u([(1, 2, 1000), (2, 1, 3000)]) == pytest.approx(0.5 * (2 - (600 + 1400) / 132000))


def test_fig_9_on_a_nonlinear_traversal(tmp_path: Path) -> None:
    """Fig. 8 (g) and (h): rank 4, then rank 2; four snippets, the fourth document, the second document."""
    clicks = ["s 1 4 1000", "s 1 2 2000"]
    got = scores(tmp_path, ["s 0 a 1"], ranked("s", 1, "abcd"), ["ClickU", "ClickU(traversal=linear)"], clicks=clicks)[
        "s"
    ]
    assert got["ClickU"] == pytest.approx(0.5 * (2 - (1000 + 1400) / 132000))
    assert got["ClickU(traversal=linear)"] == pytest.approx(0.5 * (2 - (400 + 400 + 800 + 400 + 200) / 132000))
    two = [*ranked("s", 1, "abc"), *ranked("s", 2, "def")]
    got = scores(tmp_path, ["s 0 a 1"], two, ["ClickU"], clicks=["s 1 2 1000", "s 2 1 3000"])["s"]
    assert got["ClickU"] == pytest.approx(0.5 * (2 - (600 + 1400) / 132000))


def test_a_query_comes_back(tmp_path: Path) -> None:
    """ "New" in Fig. 9 means never seen: snippets of a list that was left and come back to are not read twice."""
    clicks = ["s 1 3 500", "s 2 1 500", "s 1 4 500"]
    lists = [*ranked("s", 1, "abcd"), *ranked("s", 2, "efg")]
    got = scores(tmp_path, ["s 0 a 1"], lists, ["ClickU(L=5000)"], clicks=clicks)["s"]["ClickU(L=5000)"]
    positions = [700, 1000, 1300]
    assert got == pytest.approx(0.5 * sum(1 - pos / 5000 for pos in positions))


def test_one_list_and_linear_clicks_are_u_measure_of_eval(tmp_path: Path) -> None:
    """The same trail text: clicked documents are the relevant ones, gain (2^1 - 1)/2^1."""
    rng = random.Random(3)
    qrels, run, lists, clicks, lengths = [], [], [], [], []
    for n in range(40):
        documents = [f"d{n}-{i}" for i in range(rng.randint(1, 30))]
        for rank, document in enumerate(documents, 1):
            relevant, length = rng.random() < 0.4, rng.randint(0, 60000)
            qrels.append(f"s{n} 0 {document} {int(relevant)}")
            run.append(f"s{n} Q0 {document} {rank} {-rank} t")
            lists.append(f"s{n} 1 {document} {rank} {-rank} t")
            lengths.append(f"{document} {length}")
            if relevant:
                clicks.append(f"s{n} 1 {rank} {length}")
    write(tmp_path / "run", run)
    got = scores(tmp_path, qrels, lists, ["ClickU", "ClickU(traversal=linear)"], clicks=clicks)
    lengths_file = write(tmp_path / "lengths", lengths)
    want = ireval.evaluate(tmp_path / "qrels", tmp_path / "run", ["U(top=1)"], lengths=lengths_file).per_topic()
    assert any(value["U(top=1)"] > 1 for value in want.values())
    for session, value in want.items():
        assert got[session] == {"ClickU": value["U(top=1)"], "ClickU(traversal=linear)": value["U(top=1)"]}


# -- slow twins -----------------------------------------------------------------------------------------------------


class World:
    """Random sessions with repeats, gaps in the query numbers, unjudged documents and clicks in any order."""

    def __init__(self, seed: int, sessions: int = 25) -> None:
        rng = random.Random(seed)
        self.levels: dict[str, dict[str, int]] = {}
        self.lists: dict[str, oracle.Lists] = {}
        self.clicks: dict[str, list[tuple[int, int, int]]] = {}
        for n in range(sessions):
            name = f"s{n}"
            pool = [f"doc{i}" for i in range(rng.randint(5, 40))]
            self.levels[name] = {d: rng.randint(-1, 3) for d in rng.sample(pool, rng.randint(1, len(pool)))}
            queries = rng.sample(range(1, 6), rng.randint(1, 4))
            self.lists[name] = {q: rng.sample(pool, rng.randint(1, min(15, len(pool)))) for q in queries}
            places = [(q, r) for q in queries for r in range(1, len(self.lists[name][q]) + 1)]
            chosen = [rng.choice(places) for _ in range(rng.randint(0, 6))]
            self.clicks[name] = [(q, r, rng.randint(0, 90000)) for q, r in chosen]
        self.rng = rng

    def gains(self, session: str) -> dict[str, float]:
        return {d: float(max(level, 0)) for d, level in self.levels[session].items()}

    def files(self, folder: Path, shuffled: bool) -> tuple[Path, Path, Path]:
        """Judgements, lists (in any order of lines) and clicks."""
        lines = [
            f"{s} {q} {d} {r} {100 - r} t"
            for s, lists in self.lists.items()
            for q, documents in lists.items()
            for r, d in enumerate(documents, 1)
        ]
        if shuffled:
            self.rng.shuffle(lines)
        clicks = [f"{s} {q} {r} {length}" for s, found in self.clicks.items() for q, r, length in found]
        qrels = [f"{s} 0 {d} {level}" for s, levels in self.levels.items() for d, level in levels.items()]
        return write(folder / "q", qrels), write(folder / "l", lines), write(folder / "c", clicks)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["2011", "2008"])
@pytest.mark.parametrize("repeats", ["keep", "drop", "zero"])
@pytest.mark.parametrize("k", [None, 3])
def test_session_dcg_twin(seed: int, form: str, repeats: str, k: int | None, tmp_path: Path) -> None:
    world = World(seed)
    qrels, lists, clicks = world.files(tmp_path, shuffled=seed % 2 == 0)
    options = f"b=3,bq=2.5,form={form},repeats={repeats}"
    cut = "" if k is None else f"@{k}"
    names = [f"sDCG({options}){cut}", f"sDCG({options},truncate=click){cut}"]
    names += [f"nsDCG({options},ideal={ideal}){cut}" for ideal in ("single", "repeated")]
    got = ireval.evaluate_sessions(qrels, lists, names, clicks=clicks).per_topic()
    same: dict[str, Any] = {"k": k, "b": 3.0, "bq": 2.5, "form": form}
    for session, own in world.lists.items():
        gains = world.gains(session)
        lowest = {q: max((r for query, r, _ in world.clicks[session] if query == q), default=0) for q in own}
        whole = oracle.sdcg(own, gains, repeats=repeats, **same)
        cut_short = oracle.sdcg(own, gains, repeats=repeats, lowest=lowest, **same)
        want = [whole, cut_short]
        for ideal in ("single", "repeated"):
            most = oracle.ideal_sdcg(max(own), gains, ideal, **same)
            want.append(whole / most if most else 0.0)
        assert list(got[session].values()) == pytest.approx(want, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_click_u_twin(seed: int, tmp_path: Path) -> None:
    world = World(seed, sessions=60)
    names = ["ClickU", "ClickU(traversal=linear)", "ClickU(gain=1,L=30000,snippet=150,share=0.5)"]
    qrels, lists, clicks = world.files(tmp_path, shuffled=True)
    got = ireval.evaluate_sessions(qrels, lists, names, clicks=clicks).per_topic()
    for session, found in world.clicks.items():
        want = [
            oracle.click_u(found),
            oracle.click_u(sorted(found, key=lambda c: c[:2])),
            oracle.click_u(found, 1.0, 30000, 150, 0.5),
        ]
        assert list(got[session].values()) == pytest.approx(want, rel=1e-12)


def test_repeats_by_default(tmp_path: Path) -> None:
    """Kept, but dropped where a single ideal list could not have them twice."""
    lists = [*ranked("s", 1, "ab"), *ranked("s", 2, "ba")]
    names = ["sDCG", "sDCG(repeats=keep)", "nsDCG", "nsDCG(repeats=drop)", "nsDCG(ideal=repeated)"]
    got = scores(tmp_path, ["s 0 a 1", "s 0 b 1"], lists, [*names, "nsDCG(ideal=repeated,repeats=keep)"])["s"]
    assert got["sDCG"] == got["sDCG(repeats=keep)"] > 1.7
    assert got["nsDCG"] == got["nsDCG(repeats=drop)"] == 1.0
    assert got["nsDCG(ideal=repeated)"] == got["nsDCG(ideal=repeated,repeats=keep)"] == 1.0
    zero = scores(tmp_path, ["s 0 a 1", "s 0 b 1"], lists, ["sDCG"], repeats="zero")["s"]["sDCG"]
    assert zero == pytest.approx(1 + 1 / math.log2(3))


def test_documents_with_one_key_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash that says nothing: names are compared."""
    world = World(7)
    files = world.files(tmp_path, shuffled=False)[:2]
    measures = ["sDCG(repeats=drop)", "nsDCG@3"]
    want = ireval.evaluate_sessions(*files, measures).per_topic()
    original = Sessions.__dict__["_document_numbers"].fget

    def blind(sessions: Sessions) -> Any:
        sessions.keys[:] = sessions.keys & 3
        return original(sessions)

    monkeypatch.setattr(Sessions, "_document_numbers", property(blind))
    assert ireval.evaluate_sessions(*files, measures).per_topic() == want


# -- laws -----------------------------------------------------------------------------------------------------------


def test_ideal_session_scores_one(tmp_path: Path) -> None:
    lists = ranked("s", 1, "dabcy")
    names = ["nsDCG", "nsDCG@2", "nsDCG(form=2008)@3", "nsDCG(ideal=repeated)", "nsDCG@999999999999999"]
    assert list(scores(tmp_path, EXAMPLE, lists, names)["s"].values()) == pytest.approx([1.0] * 5)


def test_sessions_apart_are_as_together(tmp_path: Path) -> None:
    world = World(11)
    qrels, lists, clicks = world.files(tmp_path, shuffled=True)
    measures = ["sDCG@5", "nsDCG(ideal=repeated)@5", "sDCG(repeats=drop)", "ClickU"]
    whole = ireval.evaluate_sessions(qrels, lists, measures, clicks=clicks).per_topic()
    for session in list(world.lists)[:8]:
        parts = [
            write(tmp_path / f"one{i}", [line for line in path.read_text().splitlines() if line.split()[0] == session])
            for i, path in enumerate((qrels, lists, clicks))
        ]
        has_clicks = bool(parts[2].read_text())
        chosen = measures if has_clicks else measures[:3]
        alone = ireval.evaluate_sessions(*parts[:2], chosen, clicks=parts[2] if has_clicks else None).per_topic()
        assert alone[session] == {name: whole[session][name] for name in chosen}


@pytest.mark.parametrize("text", ["sDCG", "sDCG(form=2008)@10", "nsDCG(b=3.0,ideal=repeated)@5", "ClickU(gain=1.0)"])
def test_names_are_read_back(text: str) -> None:
    (request,) = parse_measures([text], {}, RECORDS)
    assert label(request.spec) == text
    assert parse_measures([label(request.spec)], {}, RECORDS)[0].spec == request.spec


# -- the command ----------------------------------------------------------------------------------------------------


def test_table_and_signature(our_command: Door) -> None:
    got = our_command("session", QRELS, PLAIN, SUGGEST, "--signature")
    assert (got.status, got.err) == (0, "")
    assert got.out.decode().splitlines() == [
        "run      sDCG@10   nsDCG@10",
        "plain     6.4884     0.5060",
        "suggest   8.1268*    0.5803*",
        "sDCG@10,nsDCG@10|ties:docno-desc|topics:qrels|n:20|ireval:0.1.0",
    ]


def test_layouts_are_those_of_eval(our_command: Door) -> None:
    """Columns run, topic, measure; JSON runs[].per_topic: what `sigtest`, `discrim` and `correlate` read."""
    arguments = ("session", QRELS, PLAIN, SUGGEST, "-m", "nsDCG@10", "-q")
    rows = list(csv.DictReader(io.StringIO(our_command(*arguments, "-f", "csv", "--digits", "-1").out.decode())))
    document = json.loads(our_command(*arguments, "-f", "json").out)
    assert list(rows[0]) == ["run", "topic", "nsDCG@10"]
    assert len(rows) == 2 * 21
    assert [one["name"] for one in document["runs"]] == ["plain", "suggest"]
    for row in rows:
        run = document["runs"][["plain", "suggest"].index(row["run"])]
        value = run["summary"] if row["topic"] == "all" else run["per_topic"][row["topic"]]
        assert float(row["nsDCG@10"]) == value["nsDCG@10"]
    assert {one["file"] for one in document["inputs"]} == {str(QRELS), str(PLAIN), str(SUGGEST)}
    assert document["signature"].startswith("nsDCG@10|ties:docno-desc|topics:qrels|n:20")


LAYOUTS = ["table", "trec", "csv", "tsv", "json", "jsonl", "markdown", "latex", "matrix", "means"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout(name: str, our_command: Door) -> None:
    got = our_command("session", QRELS, PLAIN, SUGGEST, "-m", "sDCG@10", "-f", name)
    assert got.status == 0 and (b"9.1318 12.0222" if name == "matrix" else b"6.48") in got.out


def test_intervals_are_those_of_eval(our_command: Door) -> None:
    """The same bootstrap over topics, and in the signature."""
    got = our_command(
        "session", QRELS, PLAIN, "-m", "nsDCG@10", "--ci", "95", "--seed", "3", "-f", "csv", "--signature"
    )
    header, row, made = got.out.decode().splitlines()
    assert header == "run,nsDCG@10,nsDCG@10_low,nsDCG@10_high"
    value, low, high = map(float, row.split(",")[1:])
    assert low < value < high
    assert made.endswith("|ci:95,bootstrap,B:2000,seed:3|ireval:0.1.0")


@pytest.mark.parametrize(
    ("command", "typed", "names"),
    [
        ("session", "sD", {"sDCG", "sDCG@10"}),
        ("answers", "S", {"S", "S#", "S-flat"}),
        ("rouge", "ROUGE-S", {"ROUGE-S", "ROUGE-SU"}),
    ],
)
def test_completion(command: str, typed: str, names: set[str]) -> None:
    found = ShellComplete(group, {}, "ireval", "_IREVAL_COMPLETE").get_completions([command, "a", "b", "-m"], typed)
    assert {item.value for item in found} == names


def test_scores_go_into_a_cube() -> None:
    cube = ireval.evaluate_sessions(QRELS, [PLAIN, SUGGEST], ["sDCG@10", "nsDCG"]).score_cube()
    assert cube.systems == ("plain", "suggest") and cube.values.shape == (2, 2, 20)


def test_missing_and_unjudged_sessions_are_told(our_command: Door, tmp_path: Path) -> None:
    qrels = write(tmp_path / "q", ["s1 0 a 1", "s2 0 a 1"])
    lists = write(tmp_path / "l", [*ranked("s1", 1, "a"), *ranked("s3", 1, "a"), *ranked("s4", 1, "a")])
    got = our_command("session", qrels, lists, "-m", "nsDCG", "-f", "csv")
    assert got.out == b"run,nsDCG\nl,0.5000\n"
    assert got.message == (
        "1 of 2 judged sessions scored; 1 missing (s2), counted as 0; --topics both leaves them out; "
        "2 sessions without judgements not scored"
    )
    got = our_command("session", qrels, lists, "-m", "nsDCG", "-f", "csv", "--topics", "both", "--quiet")
    assert (got.out, got.err) == (b"run,nsDCG\nl,1.0000\n", "")


def test_clicks_that_are_passed_over_are_told(our_command: Door, tmp_path: Path) -> None:
    qrels, lists = write(tmp_path / "q", ["s1 0 a 1", "s2 0 a 1"]), write(tmp_path / "l", ranked("s1", 1, "a"))
    clicks = write(tmp_path / "c", ["s1 1 1 100", "s2 1 1 100", "s3 7 9 100"])
    got = our_command("session", qrels, lists, "--clicks", clicks, "-m", "ClickU", "--topics", "both", "-f", "csv")
    assert got.out.decode() == f"run,ClickU\nl,{0.5 * (1 - 220 / 132000):.4f}\n"
    assert got.message.endswith("2 clicks on sessions that are not scored passed over")


def test_sessions_about_topics(our_command: Door, tmp_path: Path) -> None:
    """Two sessions about one topic are judged alike; one about an unjudged topic, or about none, is passed over."""
    qrels = write(tmp_path / "q", ["t1 0 a 1", "t1 0 b 2", "t2 0 a 3", "t3 0 a 1"])
    lists = [*ranked("s1", 1, "ab"), *ranked("s2", 1, "ba"), *ranked("s3", 1, "a"), *ranked("s4", 1, "a")]
    about = ["s1 t1", "s2 t1 more", "s3 t9", "s5 t2"]
    files = qrels, write(tmp_path / "l", lists), "--session-topics", write(tmp_path / "about", about)
    got = our_command("session", *files, "-m", "sDCG", "-q", "-f", "csv", "--signature")
    swapped, straight = 1 + 2 / math.log2(3), 2 + 1 / math.log2(3)
    assert got.out.decode().splitlines() == [
        "run,topic,sDCG",
        f"l,s1,{swapped:.4f}",
        f"l,s2,{straight:.4f}",
        "l,s5,0.0000",
        f"l,all,{(swapped + straight) / 3:.4f}",
        "# sDCG|ties:docno-desc|topics:qrels|n:3|session-topics:file|ireval:0.1.0",
    ]
    assert "2 of 3 judged sessions scored; 1 missing (s5)" in got.err
    assert "2 sessions without judgements not scored" in got.err
    mapping = dict(line.split()[:2] for line in about)
    same = ireval.evaluate_sessions(qrels, files[1], ["sDCG"], session_topics=mapping).per_topic()
    assert same["s2"]["sDCG"] == pytest.approx(straight)


def test_order_and_duplicates(our_command: Door, tmp_path: Path) -> None:
    qrels = write(tmp_path / "q", ["s 0 a 1"])
    lists = write(tmp_path / "l", ["s 1 x 2 9 t", "s 1 a 1 8 t"])
    for order, value in (("score", "0.6309"), ("rank", "1.0000"), ("file", "0.6309")):
        got = our_command("session", qrels, lists, "-m", "sDCG", "-f", "csv", "--order", order)
        assert got.out.decode() == f"run,sDCG\nl,{value}\n"
    twice = write(tmp_path / "l", ["s 1 x 2 9 t", "s 1 x 1 8 t", "s 1 a 1 7 t"])
    got = our_command("session", qrels, twice, "-m", "sDCG", "-f", "csv", "--on-duplicate", "first")
    assert got.out == b"run,sDCG\nl,0.6309\n" and "1 repeated document passed over" in got.err
    judged_twice = write(tmp_path / "q", ["s 0 a 1", "s 0 a 3"])
    got = our_command("session", judged_twice, lists, "-m", "sDCG", "-f", "csv", "--on-duplicate", "first")
    assert got.out == b"run,sDCG\nl,0.6309\n" and "2 repeated documents passed over" in got.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "ClickU"), "ClickU needs clicks (--clicks FILE)"),
        (("-m", "sDCG", "--truncate", "click"), "truncate=click needs clicks (--clicks FILE)"),
        (("-m", "AP"), "AP is a measure of `ireval eval`"),
        (("-m", "sDGC@10"), 'no measure "sDGC@10"; did you mean sDCG@10, nsDCG@10?'),
        (("-m", "sDCG'"), 'no measure "sDCG\'"; did you mean sDCG, nsDCG?'),
        (("-m", "sDCG(bq=1)"), 'sDCG(bq=1): bq: expected a number above 1, found "1"'),
        (("-f", "nev"), "-f nev is about ranked lists; use -f csv or -f json"),
        (("-f", "matrix"), "-f matrix takes one measure, found 2"),
        (("--gains", "x"), 'gains: expected level, exp2, a list such as 1:3:7 or pairs such as 1=1,2=3, found "x"'),
        (("--clicks", "a", "--clicks", "b"), "expected as many files of clicks as of sessions (1), found 2"),
        (("--clicks", "-", str(SUGGEST), "-"), "standard input can be only one of the files"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_requests_that_make_no_sense(arguments: tuple[str, ...], message: str, our_command: Door) -> None:
    got = our_command("session", QRELS, PLAIN, *arguments)
    assert (got.status, got.message, got.out) == (2, message, b"")


def test_nothing_to_evaluate(our_command: Door, tmp_path: Path) -> None:
    got = our_command("session", write(tmp_path / "q", ["x 0 a 1"]), PLAIN)
    assert (got.status, got.message) == (4, "no session has both judgements and ranked lists")


def test_standard_input_and_groups(our_command: Door, tmp_path: Path) -> None:
    plain = our_command("session", QRELS, PLAIN, "-f", "csv").out
    piped = our_command("session", QRELS, "-", "-f", "csv", stdin=PLAIN.read_bytes()).out
    assert piped == plain.replace(b"plain", b"<stdin>")
    with pytest.raises(ireval.UsageError, match="without groups or preferences"):
        ireval.evaluate_sessions(QRELS, PLAIN, format="qrels_jg")


@pytest.mark.parametrize("name", ["order", "on_duplicate", "topics", "repeats", "truncate"])
def test_api_refuses_odd_settings(name: str) -> None:
    with pytest.raises(ireval.UsageError, match=rf"{name}: expected .*, found x"):
        ireval.evaluate_sessions(QRELS, PLAIN, **{name: "x"})  # type: ignore[arg-type]


def test_eval_names_the_command(our_command: Door) -> None:
    got = our_command("eval", QRELS, PLAIN, "-m", "nsDCG@10")
    assert (got.status, got.message) == (2, "nsDCG is a measure of `ireval session`")
