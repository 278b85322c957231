"""`ireval rouge`: against the package rouge-score, slow twins, several references, files and folders, the command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import oracle_beyond as oracle
import pytest
from conftest import TESTDATA, Door

import ireval
from ireval.measures import rouge as measures
from ireval.measures.registry import measures_needing
from ireval.measures.spec import label, parse_measures

BEYOND = TESTDATA / "beyond"
LEAD, EXTRACT, FIRST, SECOND = (BEYOND / f"{name}.tsv" for name in ("lead", "extract", "reference1", "reference2"))
PARTS = ("precision", "recall", "f")


def texts(path: Path) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in path.read_text().splitlines())  # type: ignore[misc]


def write(path: Path, given: dict[str, str]) -> Path:
    path.write_text("".join(f"{name}\t{text}\n" for name, text in given.items()))
    return path


def scores(systems: Any, references: Any, names: list[str], **options: Any) -> dict[str, dict[str, Any]]:
    return ireval.evaluate_texts(systems, references, names, **options).per_topic()


# -- against the package rouge-score --------------------------------------------------------------------------------

RECORDED = {
    "n1": ((0.833333, 0.882353, 0.857143), (0.588235, 0.625, 0.606061), (0.375, 0.4, 0.387097)),
    "n2": ((0.923077, 0.705882, 0.8), (0.5, 0.375, 0.428571), (0.272727, 0.2, 0.230769)),
    "n3": ((1.0, 0.933333, 0.965517), (0.846154, 0.785714, 0.814815), (0.666667, 0.615385, 0.64)),
    "n4": ((0.857143, 0.923077, 0.888889), (0.615385, 0.666667, 0.64), (0.416667, 0.454545, 0.434783)),
}
"""Precision, recall, F of ROUGE-1, -2 and -3 of the sample (lead, reference1), by rouge-score 0.1.2 without stemmer."""

RECORDED_SECOND = {
    "n1": ((0.333333, 0.6, 0.428571), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "n2": ((0.384615, 0.555556, 0.454545), (0.083333, 0.125, 0.1), (0.0, 0.0, 0.0)),
    "n3": ((0.571429, 0.533333, 0.551724), (0.076923, 0.071429, 0.074074), (0.0, 0.0, 0.0)),
    "n4": ((0.571429, 0.727273, 0.64), (0.307692, 0.4, 0.347826), (0.166667, 0.222222, 0.190476)),
}
"""The same with reference2."""


@pytest.mark.parametrize(("reference", "recorded"), [(FIRST, RECORDED), (SECOND, RECORDED_SECOND)])
@pytest.mark.parametrize("tokens", ["ascii", "words"])
def test_recorded_figures_of_rouge_score(
    reference: Path, recorded: dict[str, tuple[tuple[float, ...], ...]], tokens: str
) -> None:
    """On this text both ways of cutting words agree."""
    names = [f"ROUGE-{n}(part={part})" for n in (1, 2, 3) for part in PARTS]
    got = scores(LEAD, reference, names, tokens=tokens)
    for key, values in recorded.items():
        assert list(got[key].values()) == pytest.approx([v for triple in values for v in triple], abs=5e-7)


def test_rouge_score_where_it_is_installed(tmp_path: Path) -> None:
    """Random texts with capitals, punctuation and other scripts; several references, the best of which counts."""
    scorer_module = pytest.importorskip("rouge_score.rouge_scorer")
    scorer = scorer_module.RougeScorer(["rouge1", "rouge2", "rouge4"])
    rng = random.Random(1)
    vocabulary = ["The", "cat's", "sat", "on", "the", "mat", "MAT", "don't", "x_y", "3.5", "naïve", "東京", "a-b", "."]
    files, given = [], []
    for name in ("s", "r1", "r2", "r3"):
        drawn = {f"d{i}": " ".join(rng.choices(vocabulary, k=rng.randint(0, 30))) for i in range(60)}
        given.append(drawn)
        files.append(write(tmp_path / f"{name}.tsv", drawn))
    names = [f"ROUGE-{n}(part={part})" for n in (1, 2, 4) for part in PARTS]
    one = scores(files[0], files[1], names, tokens="ascii")
    best = scores(files[0], files[1:], names, tokens="ascii", refs="best")
    for key in given[0]:
        single = scorer.score(given[1][key], given[0][key])
        several = scorer.score_multi([drawn[key] for drawn in given[1:]], given[0][key])
        for got, want in ((one, single), (best, several)):
            assert list(got[key].values()) == pytest.approx([v for triple in want.values() for v in triple], abs=1e-12)


# -- slow twins -----------------------------------------------------------------------------------------------------


def random_texts(rng: random.Random, count: int, longest: int, words: int) -> dict[str, str]:
    return {
        f"d{i:03d}": " ".join(f"w{rng.randrange(words)}" for _ in range(rng.randint(0, longest))) for i in range(count)
    }


NAMES = {
    "ROUGE-1": ("n", 1),
    "ROUGE-2": ("n", 2),
    "ROUGE-5": ("n", 5),
    "ROUGE-S": ("s", None),
    "ROUGE-S0": ("s", 0),
    "ROUGE-S4": ("s", 4),
    "ROUGE-SU": ("su", None),
    "ROUGE-SU4": ("su", 4),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_twin(name: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ours, theirs = (random_texts(rng, 30, 25, 12) for _ in range(2))
    beta = rng.choice([1.0, 2.0])
    files = write(tmp_path / "s.tsv", ours), write(tmp_path / "r.tsv", theirs)
    got = scores(*files, [f"{name}(part={part},beta={beta:g})" for part in PARTS])
    for key, text in ours.items():
        want = oracle.rouge(text, theirs[key], *NAMES[name], beta=beta)
        assert list(got[key].values()) == pytest.approx([want[part] for part in PARTS], rel=1e-12, abs=1e-15)


def test_batches_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    files = [write(tmp_path / f"{name}.tsv", random_texts(rng, 40, 30, 15)) for name in ("s", "r1", "r2")]
    want = scores(files[0], files[1:], list(NAMES))
    for size in (1, 50, 1000):
        monkeypatch.setattr(measures, "PIECES_AT_ONCE", size)
        assert scores(files[0], files[1:], list(NAMES)) == want


def test_long_texts_are_counted_in_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """400 words have 79,800 pairs, which need not be in memory at once."""
    text = " ".join(f"w{n}" for n in range(400))
    files = write(tmp_path / "s.tsv", {"a": text}), write(tmp_path / "r.tsv", {"a": f"{text} w400"})
    sizes = []
    counted = measures._counted

    def watched(piece: Any, owner: Any, size: int) -> Any:
        sizes.append(len(piece))
        return counted(piece, owner, size)

    monkeypatch.setattr(measures, "_counted", watched)
    monkeypatch.setattr(measures, "PIECES_AT_ONCE", 5000)
    got = scores(*files, ["ROUGE-S(part=precision)", "ROUGE-S(part=recall)"])["a"]
    assert list(got.values()) == [1.0, 399 / 401]
    assert sum(sizes) == 79_800 + 80_200 and max(sizes) <= 5000 + 2 * 401


def test_large_numbers_are_numbered_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long pieces over a large vocabulary do not fit into a number."""
    rng = random.Random(5)
    files = [write(tmp_path / f"{name}.tsv", random_texts(rng, 30, 30, 15)) for name in ("s", "r")]
    names = ["ROUGE-2", "ROUGE-3", "ROUGE-6", "ROUGE-SU4"]
    want = scores(*files, names)
    monkeypatch.setattr(measures, "_ROOM", 100)
    assert scores(*files, names) == want


def test_long_pieces_of_many_words(tmp_path: Path) -> None:
    """Twenty words a piece: only a text that is the same has them all."""
    text = " ".join(f"word{n}" for n in range(50))
    files = write(tmp_path / "s.tsv", {"a": text}), write(tmp_path / "r.tsv", {"a": text})
    assert scores(*files, ["ROUGE-20", "ROUGE-51"])["a"] == {"ROUGE-20": 1.0, "ROUGE-51": 0.0}


def test_skip_of_none_is_bigrams() -> None:
    got = scores(LEAD, FIRST, ["ROUGE-S0", "ROUGE-2"])
    assert all(values["ROUGE-S0"] == values["ROUGE-2"] for values in got.values())


def test_lecture_by_hand(tmp_path: Path) -> None:
    """(36): `the` counts as often as it is in both. (37)-(39): pairs in their order."""
    files = write(tmp_path / "s.tsv", {"x": "the the cat"}), write(tmp_path / "r.tsv", {"x": "the cat the dog the end"})
    got = scores(*files, ["ROUGE-1(part=recall)", "ROUGE-1(part=precision)", "ROUGE-S(part=recall)", "ROUGE-S"])["x"]
    # Pairs of the text: the-the, the-cat twice. Of the 15 of the reference: the-the 3 times, the-cat once.
    recall, precision = 2 / 15, 2 / 3
    f = 2 * recall * precision / (recall + precision)
    assert list(got.values()) == pytest.approx([3 / 6, 3 / 3, recall, f])


# -- several references ---------------------------------------------------------------------------------------------


def test_average_and_best() -> None:
    """Average: of the part asked for. Best: the part of the reference with the highest F, even where it is lower."""
    names = [f"ROUGE-2(part={part})" for part in PARTS]
    average = scores(LEAD, [FIRST, SECOND], names)
    best = scores(LEAD, [FIRST, SECOND], names, refs="best")
    for key in RECORDED:
        one, two = RECORDED[key][1], RECORDED_SECOND[key][1]
        assert list(average[key].values()) == pytest.approx(
            [(a + b) / 2 for a, b in zip(one, two, strict=True)], abs=1e-6
        )
        assert list(best[key].values()) == pytest.approx(max(one, two, key=lambda triple: triple[2]), abs=1e-6)
    assert scores(LEAD, [SECOND, FIRST], names, refs="best") == best


def test_a_text_without_all_references(tmp_path: Path) -> None:
    fewer = write(tmp_path / "r.tsv", {"n1": texts(SECOND)["n1"]})
    got = scores(LEAD, [FIRST, fewer], ["ROUGE-1"])
    assert got["n1"] == scores(LEAD, [FIRST, SECOND], ["ROUGE-1"])["n1"]
    assert got["n2"] == scores(LEAD, FIRST, ["ROUGE-1"])["n2"]


# -- files ----------------------------------------------------------------------------------------------------------


def test_folders_and_compressed_files(tmp_path: Path) -> None:
    for name, source in (("s", LEAD), ("r", FIRST)):
        folder = tmp_path / name
        (folder / "deeper").mkdir(parents=True)
        (folder / ".hidden").write_text("x")
        for key, text in texts(source).items():
            if key == "n1":
                (folder / f"{key}.txt.gz").write_bytes(gzip.compress(text.encode()))
            else:
                (folder / f"{key}.txt").write_text(text + "\n")
    assert scores(tmp_path / "s", tmp_path / "r", ["ROUGE-2"]) == scores(LEAD, FIRST, ["ROUGE-2"])
    assert scores(tmp_path / "s", FIRST, ["ROUGE-2"]) == scores(LEAD, FIRST, ["ROUGE-2"])
    packed = tmp_path / "lead.tsv.gz"
    packed.write_bytes(gzip.compress(LEAD.read_bytes()))
    assert scores(packed, FIRST, ["ROUGE-2"]) == scores(LEAD, FIRST, ["ROUGE-2"])


def test_single_texts_belong_together(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(texts(LEAD)["n2"])
    (tmp_path / "hers.txt").write_text(texts(FIRST)["n2"])
    got = scores(tmp_path / "mine.txt", tmp_path / "hers.txt", ["ROUGE-2"])
    assert got == {"text": scores(LEAD, FIRST, ["ROUGE-2"])["n2"]}


def test_texts_as_dictionaries() -> None:
    """What Python users have at hand; alone, several, or beside files."""
    want = scores(LEAD, [FIRST, SECOND], ["ROUGE-2"])
    for references in ([texts(FIRST), texts(SECOND)], [FIRST, texts(SECOND)]):
        assert scores(texts(LEAD), references, ["ROUGE-2"]) == want
    assert scores(LEAD, texts(FIRST), ["ROUGE-2"]) == scores(LEAD, FIRST, ["ROUGE-2"])
    several = ireval.evaluate_texts([texts(LEAD), texts(EXTRACT)], FIRST, ["ROUGE-2"])
    assert several.runs == ("system1", "system2")
    assert several.per_topic("system2") == scores(EXTRACT, FIRST, ["ROUGE-2"])


def test_input_is_told(tmp_path: Path, our_command: Door) -> None:
    copies = [tmp_path / "s.dat", tmp_path / "r.dat"]
    for copy, path in zip(copies, (LEAD, FIRST), strict=True):
        copy.write_bytes(path.read_bytes())
    want = our_command("rouge", LEAD, FIRST, "-f", "csv").out
    got = our_command("rouge", *copies, "--input", "tsv", "-f", "csv").out
    assert got == want.replace(b"lead", b"s.dat")
    piped = our_command("rouge", "-", FIRST, "--input", "tsv", "-f", "csv", stdin=LEAD.read_bytes()).out
    assert piped == want.replace(b"lead", b"<stdin>")


def test_characters_for_text_without_blanks(tmp_path: Path) -> None:
    files = write(tmp_path / "s.tsv", {"x": "東京都"}), write(tmp_path / "r.tsv", {"x": "東京"})
    assert scores(*files, ["ROUGE-2(part=recall)"], tokens="characters")["x"] == {"ROUGE-2(part=recall)": 1.0}
    assert scores(*files, ["ROUGE-1"], tokens="words")["x"] == {"ROUGE-1": 0.0}


# -- the command ----------------------------------------------------------------------------------------------------


def test_table(our_command: Door) -> None:
    got = our_command("rouge", LEAD, FIRST, SECOND, "--system", EXTRACT, "--signature")
    assert (got.status, got.err) == (0, "")
    lines = got.out.decode().splitlines()
    assert lines[0].split() == ["run", "ROUGE-1", "ROUGE-2", "ROUGE-SU4"]
    assert [line.split()[0] for line in lines[1:3]] == ["lead", "extract"]
    assert lines[3] == "ROUGE-1,ROUGE-2,ROUGE-SU4|references:2,average|tokens:words|topics:all|n:4|ireval:0.1.0"


def test_layouts_are_those_of_eval(our_command: Door) -> None:
    arguments = ("rouge", LEAD, FIRST, "--system", EXTRACT, "-m", "ROUGE-2", "-q")
    rows = list(csv.DictReader(io.StringIO(our_command(*arguments, "-f", "csv", "--digits", "-1").out.decode())))
    document = json.loads(our_command(*arguments, "-f", "json").out)
    assert list(rows[0]) == ["run", "topic", "ROUGE-2"] and len(rows) == 10
    per_topic = {run["name"]: run["per_topic"] for run in document["runs"]}
    for row in rows:
        if row["topic"] != "all":
            assert float(row["ROUGE-2"]) == per_topic[row["run"]][row["topic"]]["ROUGE-2"]
    assert [one["file"] for one in document["inputs"]] == [str(LEAD), str(EXTRACT), str(FIRST)]


def test_parts(our_command: Door) -> None:
    got = our_command("rouge", LEAD, FIRST, "-m", "ROUGE-2", "-m", "ROUGE-1(part=recall)", "--part", "all", "-f", "csv")
    assert got.out.decode().splitlines()[0].split(",") == [
        "run",
        "ROUGE-2",
        "ROUGE-2(part=recall)",
        "ROUGE-2(part=precision)",
        "ROUGE-1(part=recall)",
    ]
    got = our_command("rouge", LEAD, FIRST, "-m", "ROUGE-2", "--part", "recall", "-f", "csv")
    assert got.out.decode().splitlines()[0] == "run,ROUGE-2(part=recall)"


def test_missing_texts(our_command: Door, tmp_path: Path) -> None:
    some = write(tmp_path / "some.tsv", {"n1": texts(FIRST)["n1"], "n9": "nothing"})
    got = our_command("rouge", some, FIRST, "-m", "ROUGE-2", "-f", "csv")
    assert got.out == b"run,ROUGE-2\nsome,0.2500\n"
    assert got.message == (
        "1 of 4 texts with a reference scored; 3 missing (n2, n3, n4), counted as 0; --topics both leaves them out; "
        "1 text without a reference not scored"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((LEAD, FIRST, "-m", "ROUGE-0"), 'ROUGE-0: n: expected a whole number from 1 on, found "0"'),
        ((LEAD, FIRST, "-m", "ROUGE-S4(d=2)"), "ROUGE-S4(d=2): expected d once, found it twice"),
        ((LEAD, FIRST, "-m", "ROUGE-L"), 'no measure "ROUGE-L"; did you mean ROUGE-S, ROUGE-N, ROUGE-1?'),
        ((LEAD, FIRST, "-m", "ROUGE-2@5"), "ROUGE-2@5: ROUGE-2 has no cutoff"),
        ((LEAD, "-", "-"), "standard input can be only one of the files"),
        ((LEAD, FIRST, FIRST), "the same file is given twice"),
        ((LEAD, FIRST, "-f", "nev"), "-f nev is about ranked lists; use -f csv or -f json"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_requests_that_make_no_sense(arguments: tuple[str | Path, ...], message: str, our_command: Door) -> None:
    got = our_command("rouge", *arguments)
    assert (got.status, got.message, got.out) == (2, message, b"")


def test_a_text_among_collections(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a b")
    got = our_command("rouge", LEAD, tmp_path / "one.txt")
    assert got.status == 2
    assert got.message == (f"{tmp_path}/one.txt is one text and does not go with folders or TSV files (--input tells)")


def test_nothing_to_evaluate(our_command: Door, tmp_path: Path) -> None:
    got = our_command("rouge", write(tmp_path / "x.tsv", {"other": "a"}), FIRST)
    assert (got.status, got.message) == (4, "no text has a reference")


@pytest.mark.parametrize("text", ["ROUGE-2", "ROUGE-S", "ROUGE-S4", "ROUGE-SU4(part=recall)", "ROUGE-1(beta=2.0)"])
def test_names_are_read_back(text: str) -> None:
    records = measures_needing("texts")
    (request,) = parse_measures([text], {}, records)
    assert label(request.spec) == text
    assert parse_measures(["rouge-n(n=2)"], {}, records)[0].spec == parse_measures(["ROUGE-2"], {}, records)[0].spec


def test_api_refuses_odd_settings() -> None:
    for name in ("tokens", "kind", "topics", "part", "refs"):
        with pytest.raises(ireval.UsageError, match=rf"{name}: expected .*, found x"):
            ireval.evaluate_texts(LEAD, FIRST, **{name: "x"})  # type: ignore[arg-type]
