"""`ireval answers`: 1CLICK's golden cases, Fig. 10 of the lecture, slow twins, automatic matching, the command."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import oracle_beyond as oracle
import pytest
from conftest import TESTDATA, Door

import ireval
from ireval.beyond.answers import minimal_outputs
from ireval.core.words import TOKENISINGS, splitter, words_with_ends
from ireval.measures.matching import best_match, first_ends, matched_answer
from ireval.measures.nuggets import Nugget, allowed_precision
from ireval.measures.registry import measures_needing
from ireval.measures.spec import label, parse_measures

BEYOND, GOLDEN = TESTDATA / "beyond", TESTDATA / "golden"
NUGGETS, TERSE, VERBOSE = (BEYOND / name for name in ("nuggets", "terse.matches", "verbose.matches"))
TEXTS = BEYOND / "nuggets.tsv"
ANSWERS = [BEYOND / "terse.answers.tsv", BEYOND / "verbose.answers.tsv"]
EVERY = ["NuggetR", "W-recall", "NuggetP", "NuggetF", "S", "S-flat", "T", "T-flat", "S#"]
THEIR_NAMES = {
    "Recall": "NuggetR",
    "W-recall": "W-recall",
    "S-measure": "S",
    "S-flat": "S-flat",
    "T-measure": "T",
    "T-flat": "T-flat",
    "F-flat": "S#",
}


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def scores(folder: Path, nuggets: list[str], matches: list[str], measures: list[str], **options: Any) -> dict[str, Any]:
    """{topic: {measure: value}}."""
    files = write(folder / "nuggets", nuggets), write(folder / "system.matches", matches)
    return ireval.evaluate_answers(*files, measures, **options).per_topic()


# -- golden cases and worked numbers --------------------------------------------------------------------------------

ONE_CLICK = [
    re.fullmatch(r"(\S+)\t0\t\S+ 1click -L (\d+)(?: -beta (\d+))? -N (\S+) -out (\S+) (\S+)", line)
    for line in (GOLDEN / "cases.txt").read_text().splitlines()
    if " 1click " in line
]


@pytest.mark.parametrize("case", ONE_CLICK, ids=lambda case: case[0].split()[0] if case else "not understood")
def test_golden_1click(case: re.Match[str] | None) -> None:
    """What NTCIREVAL printed, from the same files: they name no topic, so their own name is the topic's."""
    assert case
    expected, limit, beta, nuggets, topic, matches = case.groups()
    names = [f"S#(beta={beta})" if beta and name == "S#" else name for name in EVERY]
    worlds = GOLDEN / "worlds"
    got = ireval.evaluate_answers(worlds / nuggets, worlds / matches, names, patience=float(limit)).per_topic()
    values = {name.split("(")[0]: value for name, value in got[topic].items()}
    printed = re.findall(rf"^{topic} (\S+)= +(\S+)$", (GOLDEN / "expected" / expected).read_text(), re.M)
    assert [name for name, _ in printed] == list(THEIR_NAMES)
    assert {name: f"{values[THEIR_NAMES[name]]:.3f}" for name, _ in printed} == dict(printed)


def test_there_are_golden_cases() -> None:
    assert len(ONE_CLICK) == 8


def test_qa_by_hand(tmp_path: Path) -> None:
    """(40) to (42): weights 1, 1, .5; the first and last are found in 350 characters, of which 200 are allowed."""
    nuggets = ["q v1 1 10", "q v2 1 10", "q v3 .5 10"]
    matches = ["q syslen= 350", "q v1 40", "q v3 90"]
    got = scores(
        tmp_path, nuggets, matches, ["W-recall", "NuggetP", "NuggetF", "NuggetF(beta=1)", "NuggetP(allow=200)"]
    )
    precision, recall = 1 - 150 / 350, 1.5 / 2.5
    assert list(got["q"].values()) == pytest.approx(
        [
            recall,
            precision,
            10 * precision * recall / (9 * precision + recall),
            2 * precision * recall / (precision + recall),
            1.0,
        ]
    )
    assert allowed_precision(0, 0, 100) == 1.0 and allowed_precision(0, 50, 100) == 0.0


FIG_10 = {
    "a": ["q syslen= 200", "q v1 100", "q v2 150", "q v3 200"],  # all nuggets, but late
    "b": ["q syslen= 200", "q v1 30", "q v2 60", "q v3 90"],  # the same, at once
    "c": ["q syslen= 800", "q v1 30", "q v2 60", "q v3 90"],  # as b, with a long tail
}


def test_fig_10(tmp_path: Path) -> None:
    """S prefers (b) to (a), T prefers (b) to (c), recall sees no difference, and S# reflects both."""
    nuggets = ["q v1 3 20", "q v2 2 20", "q v3 1 20"]
    measures = ["W-recall", "S", "T", "S-flat", "T-flat", "S#"]
    got = {name: scores(tmp_path, nuggets, lines, measures)["q"] for name, lines in FIG_10.items()}
    a, b, c = got["a"], got["b"], got["c"]
    assert a["W-recall"] == b["W-recall"] == c["W-recall"] == 1.0
    assert b["S"] > a["S"] and b["S"] == c["S"]
    assert b["T"] > c["T"] and b["T"] == a["T"]
    assert b["S#"] > a["S#"] and b["S#"] > c["S#"]
    for one in got.values():
        assert min(one["S-flat"], one["T-flat"]) <= one["S#"] <= max(one["S-flat"], one["T-flat"])


def test_minimal_output_by_hand(tmp_path: Path) -> None:
    """Heaviest first, of these the shortest; S divides by what it reaches."""
    nuggets = ["q light 1 5", "q long 3 30", "q short 3 10"]
    write(tmp_path / "nuggets", nuggets)
    assert minimal_outputs(tmp_path / "nuggets") == {
        "q": [("short", 3.0, 10, 10), ("long", 3.0, 30, 40), ("light", 1.0, 5, 45)]
    }
    got = scores(tmp_path, nuggets, ["q syslen= 60", "q long 50"], ["S(L=100)"])
    assert got["q"]["S(L=100)"] == pytest.approx(3 * 50 / (3 * 90 + 3 * 60 + 1 * 55))


def test_s_and_t_exceed_one(tmp_path: Path) -> None:
    """By definition; the flat ones do not."""
    got = scores(tmp_path, ["q v 1 50"], ["q syslen= 20", "q v 10"], ["S", "S-flat", "T", "T-flat", "S#"])["q"]
    assert got["S"] > 1 and got["T"] == 2.5
    assert got["S-flat"] == got["T-flat"] == got["S#"] == 1.0


# -- slow twin ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_twin(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    nuggets, matches, want = [], [], {}
    limit, beta = rng.choice([300.0, 1000.0]), rng.choice([1.0, 10.0])
    for n in range(30):
        topic = f"t{n:02d}"
        gold = {f"N{i}": (rng.choice([0.5, 1, 2, 3]), rng.randint(1, 40)) for i in range(rng.randint(1, 8))}
        length = rng.randint(1, 900)
        found = {v: rng.randint(1, length) for v in rng.sample(sorted(gold), rng.randint(0, len(gold)))}
        nuggets += [f"{topic} {v} {w} {vital}" for v, (w, vital) in gold.items()]
        matches += [f"{topic} {v} {pos}" for v, pos in found.items()]
        matches.insert(rng.randint(0, len(matches)), f"{topic} syslen= {length}")
        want[topic] = oracle.answer_scores(gold, found, length, limit, beta)
    rng.shuffle(nuggets)
    measures = [f"S#(beta={beta:g})" if name == "S#" else name for name in EVERY]
    got = scores(tmp_path, nuggets, matches, measures, patience=limit)
    for topic, values in want.items():
        assert list(got[topic].values()) == pytest.approx(list(values.values()), rel=1e-12, abs=1e-15)


# -- texts ----------------------------------------------------------------------------------------------------------


def test_pourpre_by_hand(tmp_path: Path) -> None:
    """Two of three words in one string, all words over two strings: the best string counts, not their union."""
    nuggets = write(tmp_path / "n", ["q\ta\t1\tRed green blue", "q\tb\t1\tyellow black"])
    answers = write(tmp_path / "a", ["q\tred, GREEN and yellow", "q\tblue and black"])
    got = ireval.evaluate_answers(nuggets, answers, ["POURPRE", "POURPRE(beta=1)"], texts=True).per_topic()["q"]
    recall = (2 / 3 + 1 / 2) / 2
    assert got["POURPRE"] == pytest.approx(10 * recall / (9 + recall))  # 200 characters are allowed, so precision is 1
    assert got["POURPRE(beta=1)"] == pytest.approx(2 * recall / (1 + recall))


def test_pourpre_of_vital_and_okay_nuggets(tmp_path: Path) -> None:
    """Weights 1 and 0: recall is over the vital nugget alone, but an okay one found in part has its allowance too."""
    long = "yellow " + "x" * 244  # 250 characters without the blank
    answers = write(tmp_path / "a", [f"q\t{long}"])
    for okay, allowed in (("yellow black", 200), ("white black", 100)):
        nuggets = write(tmp_path / "n", ["q\tvital\t1\tYellow, yellow green", f"q\tokay\t0\t{okay}"])
        got = ireval.evaluate_answers(nuggets, answers, ["POURPRE"], texts=True).per_topic()["q"]["POURPRE"]
        recall, precision = 1 / 2, 1 - (250 - allowed) / 250  # a word that a nugget has twice counts once
        assert got == pytest.approx(10 * precision * recall / (9 * precision + recall))


def test_words_of_other_scripts_are_found(tmp_path: Path) -> None:
    """Capitals whose small letters depend on their place (sigma), or are two (I with a dot)."""
    nuggets = write(tmp_path / "n", ["q\ta\t1\tΟΔΟΣ", "q\tb\t1\tοδος μου", "q\tc\t1\tİstanbul", "q\td\t1\tStraße"])
    answers = write(tmp_path / "a", ["q\tΗ ΟΔΟΣ ΜΟΥ, İstanbul; straße"])
    for tokens in ("words", "characters"):
        got = ireval.evaluate_answers(nuggets, answers, ["NuggetR"], texts=True, tokens=tokens, threshold=0.9)
        assert got.per_topic()["q"]["NuggetR"] == (1.0 if tokens == "words" else 0.5)


def test_pourpre_twin() -> None:
    names = {"terse": ANSWERS[0], "verbose": ANSWERS[1]}
    nuggets: dict[str, list[tuple[float, str]]] = {}
    for line in TEXTS.read_text().splitlines():
        topic, _, weight, text = line.split("\t")
        nuggets.setdefault(topic, []).append((float(weight), text))
    for path in names.values():
        strings: dict[str, list[str]] = {}
        for line in path.read_text().splitlines():
            topic, text = line.split("\t")
            strings.setdefault(topic, []).append(text)
        got = ireval.evaluate_answers(TEXTS, path, ["POURPRE"], texts=True).per_topic()
        for topic, gold in nuggets.items():
            assert got[topic]["POURPRE"] == pytest.approx(oracle.pourpre(gold, strings[topic]), rel=1e-12)


def test_matching_everything_is_as_given() -> None:
    """With a threshold of 1 the nuggets of the sample are found that the matches name: their texts stand in it.

    A match may end a little earlier: a word that has been read already need not be read again.
    """
    for answers, matches in zip(ANSWERS, (TERSE, VERBOSE), strict=True):
        measures = ["NuggetR", "W-recall", "T", "S"]
        by_text = ireval.evaluate_answers(TEXTS, answers, measures, texts=True, threshold=1.0).per_topic()
        given = ireval.evaluate_answers(NUGGETS, matches, measures).per_topic()
        for topic, values in given.items():
            assert by_text[topic] == pytest.approx(values, abs=0.002)
            assert by_text[topic]["S"] >= values["S"]


def test_where_a_match_ends() -> None:
    strings = ["no such thing", "the red, the green and the red again"]
    ends = first_ends(strings, "words")
    assert ends[1]["green"] == len(strings[0]) + 1 + len("the red, the green")
    assert best_match({"red", "green", "x"}, ends) == (2 / 3, ends[1]["green"])
    assert best_match({"x"}, ends) == (0.0, 0) == best_match(set(), ends)
    answer = matched_answer([Nugget(1, 5), Nugget(1, 5)], ["red x", "..."], strings, 0.5, "words")
    assert [match.offset for match in answer.matches] == [ends[1]["red"]]
    assert answer.length == len(" ".join(strings)) and answer.dense == len("".join(" ".join(strings).split()))
    assert answer.shares == (0.5, 0.0)


def test_tokenisings() -> None:
    text = "Häuser_und Co. 3.5%, İstanbul 東京"
    assert splitter("words")("Häuser_und 3.5") == ["häuser", "und", "3", "5"]
    assert splitter("ascii")(text)[:3] == ["h", "user", "und"]
    assert splitter("blanks")("Ab c.") == ["Ab", "c."]
    assert splitter("characters")("東 京A") == ["東", "京", "A"]
    for tokenising in TOKENISINGS:
        for word, end in words_with_ends(text, tokenising):
            assert text[end - 1].lower() == word[-1].lower()


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_nugget_found_twice_counts_at_its_first_place(tmp_path: Path, our_command: Door) -> None:
    nuggets = write(tmp_path / "n", ["q v 1 10", "q u 1 10"])
    matches = write(tmp_path / "m", ["q syslen= 100", "q v 80", "q v 30"])
    got = our_command("answers", nuggets, matches, "-m", "S", "-m", "W-recall", "-f", "csv")
    assert got.out.decode() == f"run,S,W-recall\nm,{970 / (990 + 980):.4f},0.5000\n"
    assert got.message == "1 of 1 topics scored; 1 repeated match passed over"


def test_weight_nothing_still_has_its_allowance(tmp_path: Path) -> None:
    """An okay nugget of question answering: no recall, but room."""
    nuggets = ["q vital 1 10", "q okay 0 10"]
    got = scores(tmp_path, nuggets, ["q syslen= 200", "q vital 9", "q okay 50"], ["W-recall", "NuggetP"])
    assert got["q"] == {"W-recall": 1.0, "NuggetP": 1.0}


def test_empty_answer(tmp_path: Path) -> None:
    got = scores(tmp_path, ["q v 1 10"], ["q syslen= 0"], EVERY)["q"]
    assert {name for name, value in got.items() if value} == {"NuggetP"}


def test_what_cannot_be_normalised_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ireval.DataError, match="S of topic q is infinite"):
        scores(tmp_path, ["q v 1 2000"], ["q syslen= 50", "q v 50"], ["S"])


# -- the command ----------------------------------------------------------------------------------------------------


def test_table(our_command: Door) -> None:
    got = our_command("answers", NUGGETS, TERSE, VERBOSE, "--signature")
    assert (got.status, got.err) == (0, "")
    assert got.out.decode().splitlines() == [
        "run      W-recall   NuggetF        S        T       S#",
        "terse      0.7222*   0.7417*  0.7229*  0.7820*  0.7483*",
        "verbose    0.5694    0.5919   0.5103   0.3040   0.3729",
        "W-recall,NuggetF,S,T,S#|topics:all|n:3|ireval:0.1.0",
    ]


def test_patience_is_in_the_signature(our_command: Door) -> None:
    document = json.loads(our_command("answers", NUGGETS, TERSE, "-m", "S", "-L", "500", "-q", "-f", "json").out)
    assert document["signature"] == "S|topics:all|n:3|L:500|ireval:0.1.0"
    explicit = ireval.evaluate_answers(NUGGETS, TERSE, ["S(L=500)"]).per_topic()
    assert document["runs"][0]["per_topic"] == {topic: {"S": v["S(L=500)"]} for topic, v in explicit.items()}


def test_texts_are_in_the_signature(our_command: Door) -> None:
    got = our_command("answers", "--texts", TEXTS, *ANSWERS, "--threshold", ".6", "--signature", "-f", "tsv")
    rows = got.out.decode().splitlines()
    assert rows[0].split("\t") == ["run", "W-recall", "NuggetF", "S", "T", "S#", "POURPRE"]
    assert [row.split("\t")[0] for row in rows[1:3]] == ["terse", "verbose"]
    assert rows[3].endswith("|topics:all|n:3|matched:unigrams,0.6|tokens:words|ireval:0.1.0")


def test_minimal_output(our_command: Door) -> None:
    got = our_command("answers", NUGGETS, "--minimal", "-f", "csv", "--digits", "1")
    assert got.out.decode().splitlines()[:3] == [
        "topic,nugget,weight,length,offset",
        "lighthouse,purpose,3.0,20,20",
        "lighthouse,lens,2.0,32,52",
    ]
    document = json.loads(our_command("answers", NUGGETS, "--minimal", "-f", "json").out)
    assert document["topics"]["yeast"][0] == {"nugget": "fungus", "weight": 3.0, "length": 22, "offset": 22}
    assert document["inputs"][0]["file"] == str(NUGGETS)


def test_missing_topics(our_command: Door, tmp_path: Path) -> None:
    matches = write(tmp_path / "m", ["tides syslen= 10", "other syslen= 5", "other x 3"])
    got = our_command("answers", NUGGETS, matches, "-m", "NuggetP", "-f", "csv")
    assert got.out == b"run,NuggetP\nm,0.0000\n"
    assert got.message == (
        "1 of 3 topics scored; 2 missing (lighthouse, yeast), counted as 0; --topics both leaves them out; "
        "1 topic without nuggets not scored"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((NUGGETS,), "expected a file of matches, found none"),
        ((NUGGETS, TERSE, "-m", "POURPRE"), "POURPRE needs texts of nuggets and answers (--texts)"),
        ((NUGGETS, TERSE, "--minimal"), "--minimal is about the nuggets only and takes no answers and no measures"),
        ((NUGGETS, "--minimal", "-m", "S"), "--minimal is about the nuggets only and takes no answers and no measures"),
        ((NUGGETS, TERSE, "--threshold", ".6"), "--threshold needs --texts"),
        ((NUGGETS, TERSE, "--tokens", "words"), "--tokens needs --texts"),
        (
            (NUGGETS, "--minimal", "-f", "trec"),
            "-f trec is a layout of scores; this takes table, markdown, latex, csv, tsv, json, jsonl",
        ),
        ((NUGGETS, TERSE, "-m", "nDCG@10"), "nDCG is a measure of `ireval eval`"),
        ((NUGGETS, TERSE, TERSE), "the same file is given twice"),
        ((NUGGETS, TERSE, "-f", "nev"), "-f nev is about ranked lists; use -f csv or -f json"),
        (("-", "-"), "standard input can be only one of the files"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_requests_that_make_no_sense(arguments: tuple[str | Path, ...], message: str, our_command: Door) -> None:
    got = our_command("answers", *arguments)
    assert (got.status, got.message, got.out) == (2, message, b"")


def test_nothing_to_evaluate(our_command: Door, tmp_path: Path) -> None:
    got = our_command("answers", NUGGETS, write(tmp_path / "m", ["other syslen= 5"]))
    assert (got.status, got.message) == (4, "no topic has both nuggets and an answer")


def test_api_refuses_odd_settings() -> None:
    for options, why in (
        ({"tokens": "x"}, "tokens: expected words, ascii, blanks, characters, found x"),
        ({"threshold": 2.0}, "threshold: expected a share from 0 to 1, found 2"),
        ({"topics": "qrels"}, "topics: expected all, both, found qrels"),
    ):
        with pytest.raises(ireval.UsageError, match=why):
            ireval.evaluate_answers(NUGGETS, TERSE, **options)  # type: ignore[arg-type]
    with pytest.raises(ireval.UsageError, match="no measure is asked for"):
        ireval.evaluate_answers(NUGGETS, TERSE, [])


def test_names_are_read_back() -> None:
    records = measures_needing("nuggets")
    for record in records.values():
        for name in (record.label, *record.aliases):
            assert label(parse_measures([name], {}, records)[0].spec) == record.label
