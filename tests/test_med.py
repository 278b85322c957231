"""Distances between rankings: trying everything, worked numbers, laws, and how runs are paired."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import oracle_med
import pytest
from conftest import TESTDATA

import ireval
from ireval.core.columns import texts_from
from ireval.core.passages import in_reading_order
from ireval.errors import DataError, DuplicateError, MeasureError, UsageError
from ireval.studies import med_err
from ireval.studies.med_err import tail_worth
from ireval.studies.med_results import Distances
from ireval.studies.med_text import trail_distance

Lists = Sequence[Sequence[str]]


def as_run(lists: Lists) -> dict[str, dict[str, float]]:
    """Topic 0, 1, ... with these documents from the best on."""
    return {f"{t:04d}": {d: 1000.0 - rank for rank, d in enumerate(ranked)} for t, ranked in enumerate(lists)}


def between(first: Lists, second: Lists, measures: str | Sequence[str], **options: object) -> Distances:
    return ireval.med({"first": as_run(first), "second": as_run(second)}, measures, **options)


def one(first: str, second: str, measure: str, **options: object) -> float:
    """The distance between two lists of one-letter documents."""
    found = between([list(first)], [list(second)], measure, **options).pair()
    assert found.low[0, 0] == found.high[0, 0]
    return float(found.low[0, 0])


def random_lists(rng: np.random.Generator, count: int, longest: int, pool: int, shortest: int = 1) -> list[list[str]]:
    return [[f"d{x}" for x in rng.permutation(pool)[: rng.integers(shortest, longest + 1)]] for _ in range(count)]


# -- worked numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG@5", 0.402447),
        ("RBP(p=0.9)", 0.739),
        ("AP@5", 0.41),
        ("ERR@5", 0.43125),
        ("ERR", 0.433739),
        ("P@5", 0.4),
        ("overlap@5", 0.6),
    ],
)
def test_five_documents(measure: str, expected: float) -> None:
    """abcde against bacfg, computed by hand; ERR with r_G = 3/4 (two grades above 0)."""
    assert one("abcde", "bacfg", measure) == pytest.approx(expected, abs=5e-7)
    assert one("bacfg", "abcde", measure) == pytest.approx(expected, abs=5e-7)


def test_two_documents_that_change_places() -> None:
    """Filled with free variables, and ended; the published program prints 0.142 for the latter, by a slip of one."""
    assert one("ab", "ba", "nDCG@20") == pytest.approx(0.8208, abs=5e-5)
    assert one("ab", "ba", "nDCG@20", short="ended") == pytest.approx(0.0524, abs=5e-5)


def test_identical_lists() -> None:
    for measure in ("P@5", "nDCG@5", "AP@5", "ERR@5", "nDCGjk@5", "RBP(p=0.9)@5", "DCG@5"):
        assert one("abcde", "abcde", measure) == 0.0
    assert one("abcde", "abcde", "RBP(p=0.9)") == pytest.approx(0.9**5)
    assert one("abcde", "abcde", "RBP(p=0.9)", short="ended") == 0.0
    assert one("abcde", "abcde", "ERR") == pytest.approx(tail_worth(0.75, 5))


def test_tail_worth() -> None:
    """Endlessly many documents that satisfy with probability r: the series itself."""
    for top in (0.05, 0.5, 0.75, 1.0):
        for start in (0, 1, 20):
            series = sum(top / (i + 1) * (1 - top) ** (i - start) for i in range(start, start + 2000))
            assert tail_worth(top, start) == pytest.approx(series, abs=1e-13)


def test_disjoint_texts() -> None:
    """MED-U@12000 of two texts without a character in common: the paper's largest value."""
    runs = [passages([[(name, 5, 13_000)]]) for name in ("a", "b")]
    assert trail_distance(runs[0], runs[1], 12_000, True).tolist() == [2999.75]
    assert trail_distance(runs[0], runs[0], 12_000, True).tolist() == [0.0]


# -- trying everything ----------------------------------------------------------------------------------------------


def expectations(grade: int) -> dict[str, tuple[oracle_med.Score, list[float], list[float], int]]:
    """Measure -> score, value of each grade, values of an unjudged document, rank to fill to."""
    levels = [float(level) for level in range(grade + 1)]
    binary = [0.0] + [1.0] * grade
    chance = [(2**level - 1) / 2**grade for level in range(grade + 1)]
    exp2 = [2.0**level - 1 for level in range(grade + 1)]
    return {
        "P@4": (oracle_med.precision(4), binary, [0.0, 1.0], 4),
        "nDCG(gains=level)@4": (oracle_med.ndcg(4, grade), levels, levels, 4),
        "nDCG@3": (oracle_med.ndcg(3, chance[-1]), chance, chance, 3),
        "RBP(p=0.6)": (oracle_med.rbp(0.6), [v / exp2[-1] for v in exp2], [0.0, 1.0], 80),
        "AP@4": (oracle_med.average_precision(4), binary, [0.0, 1.0], 4),
        "ERR@4": (oracle_med.err(4), chance, chance, 4),
        "ERR": (oracle_med.err(None), chance, chance, 60),
    }


@pytest.mark.parametrize("short", ["filled", "ended"])
@pytest.mark.parametrize("judged", [False, True], ids=["unjudged", "judged"])
@pytest.mark.parametrize("grade", [1, 2])
def test_trying_every_assignment(grade: int, judged: bool, short: str) -> None:
    """All measures on random pairs: thousands of distances in all."""
    rng = np.random.default_rng(100 * grade + 10 * judged + (short == "ended"))
    count = 150
    first, second = (random_lists(rng, count, 4, 6) for _ in range(2))
    qrels = None
    if judged:
        qrels = {
            f"{t:04d}": {f"d{x}": int(rng.integers(0, grade + 1)) for x in rng.permutation(6)[: rng.integers(1, 4)]}
            for t in range(count)
        }
        qrels["none"] = {"d1": grade}  # a topic that no run has
    wanted = expectations(grade)
    found = between(first, second, list(wanted), qrels=qrels, max_grade=grade, short=short, budget=60.0).pair()
    assert np.array_equal(found.low, found.high)
    for row, (score, by_grade, free, fill) in enumerate(wanted.values()):
        for t in range(count):
            known = {d: by_grade[level] for d, level in (qrels or {}).get(f"{t:04d}", {}).items()}
            expected = oracle_med.distance(first[t], second[t], score, free, known, fill if short == "filled" else 0)
            assert found.low[row, t] == pytest.approx(expected, abs=1e-9), (list(wanted)[row], first[t], second[t])


@pytest.mark.parametrize("deep", [False, True])
def test_longer_lists_that_hardly_differ(deep: bool) -> None:
    """Ten documents each with a few neighbours swapped: many nodes of the search are alike."""
    rng = np.random.default_rng(8)
    first, second = [], []
    for _ in range(12):
        places = np.arange(9)
        first.append([f"d{x}" for x in np.argsort(places + rng.normal(size=9))])
        second.append([f"d{x}" for x in np.argsort(places + rng.normal(size=9))])
    measures = ["ERR" if deep else "ERR@9", "AP@9"]
    found = between(first, second, measures, budget=60.0, max_grade=1).pair()
    for t in range(12):
        fill = 70 if deep else 9
        err = oracle_med.distance(first[t], second[t], oracle_med.err(None), [0.0, 0.5], None, fill)
        assert found.low[0, t] == found.high[0, t] == pytest.approx(err, abs=1e-9)
        ap = oracle_med.distance(first[t], second[t], oracle_med.average_precision(9), [0.0, 1.0], None, 9)
        assert found.low[1, t] == found.high[1, t] == pytest.approx(ap, abs=1e-9)


def test_bounds_hold_the_value_when_there_is_no_time() -> None:
    rng = np.random.default_rng(3)
    places = np.arange(300)
    first, second = ([[f"d{x}" for x in np.argsort(places + rng.normal(size=300))] for _ in range(3)] for _ in range(2))
    hurried = between(first, second, ["ERR", "ERR@20"], budget=0.0).pair()
    patient = between(first, second, ["ERR", "ERR@20"], budget=5.0).pair()
    assert bool((hurried.low <= patient.low + 1e-12).all()) and bool((patient.high <= hurried.high + 1e-12).all())
    assert bool((hurried.low[0] < hurried.high[0]).all())
    assert hurried.share_exact(0) == 0.0
    assert patient.share_exact(1) == 1.0


def test_deep_cutoffs_are_reached_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """ERR@k is looked at to some depth first; what lies below is bounded. The answer does not depend on it."""
    rng = np.random.default_rng(13)
    places = np.arange(60)
    first, second = (
        [[f"d{x}" for x in np.argsort(places + rng.normal(size=60) * 9)[: rng.integers(20, 50)]] for _ in range(8)]
        for _ in range(2)
    )
    for short in ("filled", "ended"):
        found = []
        for depth in (3, 7, 20):
            monkeypatch.setattr(med_err, "FIRST_DEPTH", depth)
            found.append(between(first, second, "ERR@40", budget=60.0, short=short).pair())
        for one_way in found:
            assert np.array_equal(one_way.low, one_way.high)
            assert one_way.low == pytest.approx(found[-1].low, abs=1e-9)


def test_top_100_lists_are_proved_exact() -> None:
    rng = np.random.default_rng(12)
    places = np.arange(150)
    first, second = (
        [[f"d{x}" for x in np.argsort(places + rng.normal(size=150) * 12)[:100]] for _ in range(6)] for _ in range(2)
    )
    found = between(first, second, ["AP@100", "ERR@20", "ERR"]).pair()
    assert [found.share_exact(row) for row in range(3)] == [1.0, 1.0, 1.0]


# -- laws -----------------------------------------------------------------------------------------------------------

METRICS = ("P@5", "nDCG@5", "RBP(p=0.8)", "AP@5", "ERR@5", "ERR", "nDCGjk08@5")


def test_symmetry_and_triangle_inequality() -> None:
    rng = np.random.default_rng(21)
    lists = [random_lists(rng, 60, 7, 9) for _ in range(3)]
    values = {}
    for i, j in itertools.permutations(range(3), 2):
        values[i, j] = between(lists[i], lists[j], METRICS, budget=60.0).pair().low
    for i, j in itertools.combinations(range(3), 2):
        assert values[i, j] == pytest.approx(values[j, i], abs=1e-12)
    for i, j, k in itertools.permutations(range(3)):
        assert bool((values[i, k] <= values[i, j] + values[j, k] + 1e-9).all())


def test_judgements_never_increase_a_distance() -> None:
    rng = np.random.default_rng(22)
    first, second = (random_lists(rng, 50, 6, 8) for _ in range(2))
    before = between(first, second, METRICS, budget=60.0).pair().low
    qrels: dict[str, dict[str, int]] = {f"{t:04d}": {} for t in range(50)}
    for document in range(8):
        for topic in qrels.values():
            topic[f"d{document}"] = int(rng.integers(0, 3))
        after = between(first, second, METRICS, qrels=qrels, max_grade=2, budget=60.0).pair().low
        assert bool((after <= before + 1e-9).all())
        before = after


def test_complete_judgements_give_the_difference_that_eval_prints() -> None:
    """Normalised by the judgements, the lists ended: for every measure that has a MED."""
    rng = np.random.default_rng(23)
    first, second = (random_lists(rng, 30, 8, 10) for _ in range(2))
    qrels = {f"{t:04d}": {f"d{x}": int(rng.integers(0, 4)) for x in range(10)} for t in range(30)}
    qrels["0000"]["d0"] = 3
    qrels["0001"] = dict.fromkeys(qrels["0001"], 0)  # nothing is relevant
    names = [
        *("P@5", "AP@5", "nAP@5", "nDCG@5", "DCG@5", "CG@5", "nCG@5", "nDCGjk@5", "nDCGjk08@5", "RBP(p=0.7)", "RBP@5"),
        *("ERR", "ERR@5", "nDCG(gains='1:5:6')@5", "P(rel=2)@5", "ERR(sat=gain)"),
    ]
    runs = {"first": as_run(first), "second": as_run(second)}
    found = ireval.med(runs, names, qrels=qrels, normalise="qrels", short="ended").pair()
    scores = ireval.evaluate(qrels, runs, names).cube()
    assert found.low == pytest.approx(np.abs(scores[0] - scores[1]), abs=1e-12)


def test_every_measure_with_a_med_is_in_the_law_above() -> None:
    from ireval.studies.med import measures_with_med

    tried = {"P", "AP", "nAP", "nDCG", "DCG", "CG", "nCG", "nDCGjk", "nDCGjk08", "RBP", "ERR"}
    assert {name.removesuffix("@k") for name in measures_with_med()} == tried


def test_extending_lists_changes_rbp_by_what_the_paper_says() -> None:
    rng = np.random.default_rng(24)
    first, second = (random_lists(rng, 200, 12, 16, shortest=12) for _ in range(2))
    p = 0.7
    values = [
        between([x[:depth] for x in first], [x[:depth] for x in second], f"RBP(p={p})").pair().low[0]
        for depth in range(1, 13)
    ]
    for depth, (shorter, longer) in enumerate(itertools.pairwise(values), 1):
        assert bool((longer <= shorter + 1e-12).all())
        assert bool((shorter - values[-1] <= 2 * p**depth + 1e-12).all())


def test_precision_is_one_minus_overlap() -> None:
    rng = np.random.default_rng(25)
    first, second = (random_lists(rng, 100, 12, 20, shortest=10) for _ in range(2))
    found = between(first, second, ["P@10", "overlap@10"]).pair().low
    assert found[0] == pytest.approx(1.0 - found[1], abs=1e-15)


# -- beside MED -----------------------------------------------------------------------------------------------------


def test_comparisons() -> None:
    rng = np.random.default_rng(26)
    first, second = (random_lists(rng, 100, 9, 12) for _ in range(2))
    names = ["Kendall", "AnchorMap(anchor=first)@3", "AnchorMap(anchor=second)@3", "AnchorMap@3", "overlap@3"]
    found = between(first, second, names).pair().low
    for t, (a, b) in enumerate(zip(first, second, strict=True)):
        kendall = oracle_med.kendall(a, b)
        assert math.isnan(found[0, t]) if kendall is None else found[0, t] == pytest.approx(kendall, abs=1e-12)
        anchored = oracle_med.anchor_map(a, b, 3), oracle_med.anchor_map(b, a, 3)
        assert found[1:4, t] == pytest.approx([*anchored, sum(anchored) / 2], abs=1e-12)
        assert found[4, t] == len(set(a[:3]) & set(b[:3])) / 3


def test_rbo_sees_ties_in_the_scores() -> None:
    runs = {"x": {"1": {"a": 2.0, "b": 1.0, "c": 1.0}}, "y": {"1": {"a": 2.0, "c": 1.5, "b": 1.0}}}
    found = ireval.med(runs, ["RBO", "RBO(ties=b)", "RBO(part=min)", "RBO(part=res)"]).pair().low[:, 0]
    from ireval.stats.rbo import rbo_of_groups

    tied, broken = [["a"], ["b", "c"]], [["a"], ["c"], ["b"]]
    assert found[0] == pytest.approx(float(rbo_of_groups(tied, broken, 0.9, "a").extrapolated[0]))
    assert found[1] == pytest.approx(float(rbo_of_groups(tied, broken, 0.9, "b").extrapolated[0]))
    assert found[2] + found[3] == pytest.approx(float(rbo_of_groups(tied, broken, 0.9, "a").maximum[0]))


# -- passages -------------------------------------------------------------------------------------------------------


def passages(topics: Sequence[Sequence[oracle_med.Passage]]):  # type: ignore[no-untyped-def]
    rows = [(t, *passage) for t, ranking in enumerate(topics) for passage in ranking]
    topic, document, offset, length = zip(*rows, strict=True)
    names = [b"%d" % t for t in range(len(topics))]
    texts = texts_from([name.encode() for name in document])
    return in_reading_order("x", names, np.array(topic), texts, np.array(offset), np.array(length), None)


@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.parametrize("length", [7, 40, 100])
def test_trails(length: int, filled: bool) -> None:
    rng = np.random.default_rng(length)
    runs = [
        [
            [
                (f"d{rng.integers(3)}", int(rng.integers(0, 30)), int(rng.integers(1, 20)))
                for _ in range(rng.integers(1, 6))
            ]
            for _ in range(60)
        ]
        for _ in range(2)
    ]
    found = trail_distance(passages(runs[0]), passages(runs[1]), length, filled)
    twin = [oracle_med.trail_distance(a, b, length, 0.5, filled) for a, b in zip(*runs, strict=True)]
    assert found == pytest.approx(twin, abs=1e-12)


@pytest.mark.parametrize("filled", [True, False])
def test_trails_by_trying_every_assignment(filled: bool) -> None:
    rng = np.random.default_rng(7)
    runs = [
        [
            [
                (f"d{rng.integers(2)}", int(rng.integers(0, 3)), int(rng.integers(1, 4)))
                for _ in range(rng.integers(1, 4))
            ]
            for _ in range(60)
        ]
        for _ in range(2)
    ]
    found = trail_distance(passages(runs[0]), passages(runs[1]), 5, filled)
    tried = [oracle_med.trail_distance_by_trying(a, b, 5, 0.5, filled) for a, b in zip(*runs, strict=True)]
    assert found == pytest.approx(tried, abs=1e-12)


# -- runs -----------------------------------------------------------------------------------------------------------


def write_run(path: Path, topics: Sequence[tuple[str, Sequence[str]]]) -> str:
    with open(path, "w") as out:
        for topic, documents in topics:
            for rank, document in enumerate(documents, 1):
                out.write(f"{topic} Q0 {document} {rank} {100 - rank} tag\n")
    return str(path)


@pytest.mark.parametrize("size", [64, 300, 5000])
@pytest.mark.parametrize("shape", ["same order", "some missing", "another order", "not grouped"])
def test_streamed_is_loaded(shape: str, size: int, tmp_path: Path, small_blocks) -> None:  # type: ignore[no-untyped-def]
    small_blocks(size)
    rng = np.random.default_rng(31)
    first, second = (
        list(zip([f"q{t}" for t in range(40)], random_lists(rng, 40, 6, 9), strict=True)) for _ in range(2)
    )
    if shape == "some missing":
        first = [entry for i, entry in enumerate(first) if i % 5 != 2]
        second = [entry for i, entry in enumerate(second) if i % 7 != 3 and i < 37]
    if shape == "another order":
        second = second[20:] + second[:20]
    if shape == "not grouped":
        topic, documents = second[3]
        second[3] = (topic, documents[:1])
        second.append((topic, documents[1:]))
    files = [write_run(tmp_path / "a.run", first), write_run(tmp_path / "b.run", second)]
    names = ["nDCG@4", "RBO", "AP@4"]
    streamed = ireval.med(files, names)
    loaded = ireval.med({"a": ireval.read_run(files[0]), "b": ireval.read_run(files[1])}, names)
    assert streamed.per_topic() == loaded.per_topic()
    assert streamed.summary() == loaded.summary()
    assert streamed.pair().alone == loaded.pair().alone
    if shape == "some missing":
        shared = {topic for topic, _ in first} & {topic for topic, _ in second}
        assert set(streamed.per_topic()) == shared
        assert streamed.pair().alone == (len(first) - len(shared), len(second) - len(shared))
    assert [c.topic for c in streamed.pair().changed] == [c.topic for c in loaded.pair().changed]


def test_the_topics_that_changed_most() -> None:
    first = [list("abcd"), list("abcd"), list("abcd")]
    second = [list("abdc"), list("wxyz"), list("bacd")]
    found = between(first, second, "nDCG@4", top=2).pair()
    assert [changed.topic for changed in found.changed] == [b"0001", b"0002"]
    assert [(m.document, m.first, m.second) for m in found.changed[1].moved] == [(b"a", 1, 2), (b"b", 2, 1)]
    assert [(m.document, m.first, m.second) for m in found.changed[0].moved][:2] == [(b"a", 1, None), (b"w", None, 1)]
    by_similarity = between(first, second, ["RBO", "nDCG@4"], top=1).pair()
    assert [changed.topic for changed in by_similarity.changed] == [b"0001"]


def test_several_runs_make_a_matrix() -> None:
    runs = {name: as_run([list(text)]) for name, text in (("x", "abc"), ("y", "acb"), ("z", "def"))}
    found = ireval.med(runs, "P@3")
    assert np.array_equal(found.matrix(), [[np.nan, 0, 1], [0, np.nan, 1], [1, 1, np.nan]], equal_nan=True)
    assert found.summary()["x", "z"] == {"MED-P@3": (1.0, 1.0)}


def test_several_runs_are_cut_without_a_change(tmp_path: Path) -> None:
    """Of more than two runs only what the cutoffs see is kept: every pair as if it were compared alone."""
    rng = np.random.default_rng(8)
    files = []
    for name in "xyz":
        lines = []
        for topic in range(12):
            for document in rng.permutation(30)[: rng.integers(1, 30)]:  # scores with ties, in no order
                lines.append(f"{topic} Q0 doc{document} 1 {rng.integers(8)} t\n")
        (tmp_path / name).write_text("".join(lines))
        files.append(str(tmp_path / name))
    for names in (["nDCG@5", "AP@7", "P@2"], ["nDCG@5", "RBO"]):
        for options in ({}, {"order": "file"}, {"depth": 3}, {"on_duplicate": "first"}):
            together = ireval.med(files, names, **options)
            for i, j in ((0, 1), (0, 2), (1, 2)):
                alone = ireval.med([files[i], files[j]], names, **options)
                assert together.per_topic(i, j) == alone.per_topic()


def test_several_runs_refuse_repeated_documents(tmp_path: Path) -> None:
    files = []
    for name in "xyz":
        (tmp_path / name).write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n" + ("1 Q0 a 3 1 t\n" if name == "z" else ""))
        files.append(tmp_path / name)
    with pytest.raises(ireval.InputError, match='found "a" of topic 1 again'):
        ireval.med(files, "nDCG@5")
    assert ireval.med(files, "nDCG@5", on_duplicate="first").pair(0, 2).repeated == 1


def test_without_every_topic_the_rest_is_the_same() -> None:
    rng = np.random.default_rng(6)
    first, second = random_lists(rng, 50, 6, 9), random_lists(rng, 50, 6, 9)
    names = ["nDCG@4", "AP@4", "ERR", "Kendall"]
    full, short = (between(first, second, names, keep_topics=keep).pair() for keep in (True, False))
    assert full.low.shape == (4, 50) and short.low.shape == short.high.shape == (4, 0) and not short.topics
    assert short.count == full.count == 50
    assert short.tallies == full.tallies
    for row, tally in enumerate(full.tallies):
        known = full.low[row][~np.isnan(full.low[row])]
        assert tally.known == tally.exact == len(known)
        assert tally.low == tally.high == math.fsum(known) / len(known)
    assert full.tallies[3].known < 50  # lists with fewer than two documents in common
    assert [c.topic for c in short.changed] == [c.topic for c in full.changed]


def test_bare_names_have_the_papers_parameters() -> None:
    found = between([list("ab")], [list("ba")], ["nDCG", "AP", "RBP", "MED-P@3", "rbo", "MAP"])
    assert found.labels == ("MED-nDCG@20", "MED-AP@100", "MED-RBP(p=0.9)", "MED-P@3", "RBO")


def test_gains() -> None:
    """The paper's grades under the paper's normalisation, the measure's own under that of the judgements."""
    qrels = {"0000": {"a": 2, "b": 1, "c": 0}}
    lists = [list("abc")], [list("bca")]
    for options, gains in (({}, [3.0, 1.0]), ({"normalise": "qrels"}, [2.0, 1.0]), ({"gains": "5:6"}, [6.0, 5.0])):
        a, b = gains
        change = a * (1 - 1 / 2) - b * (1 - 1 / math.log2(3))
        best = a + b / math.log2(3)
        if "normalise" not in options:
            best = a * (1 + 1 / math.log2(3) + 1 / 2)
        found = between(*lists, "nDCG@3", qrels=qrels, **options).pair()
        assert found.low[0, 0] == pytest.approx(abs(change) / best)


def test_default_grade() -> None:
    qrels = {"0000": {"a": 3, "x": 0}}
    assert between([list("ab")], [list("ba")], "ERR").top_grade == 2
    assert between([list("ab")], [list("ba")], "ERR", qrels=qrels).top_grade == 3
    assert between([list("ab")], [list("ba")], "ERR", qrels=qrels, max_grade=4).top_grade == 4


def test_topics_without_judgements_have_no_ideal() -> None:
    found = between([list("ab")] * 2, [list("ba")] * 2, "nDCG@2", qrels={"0001": {"a": 1}}, normalise="qrels").pair()
    assert found.topics == [b"0001"]
    assert found.unjudged == 1


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nCG", "nCG has no MED without a cutoff; nCG@20 has"),
        ("nDCG()", "nDCG() has no MED without a cutoff; nDCG@20 has"),
        ("bpref", "bpref has no MED; P@k, AP@k, nDCG@k"),
        ("AP'@10", "AP'@10 has no MED; P@k"),
        ("D#-nDCG@10", "D#-nDCG@10 has no MED; P@k"),
        ("DIN-nDCG@10", "DIN-nDCG@10 has no MED; P@k"),
        ("ERR-IA@10", "ERR-IA@10 has no MED; P@k"),
        ("U@0", "U@0: expected a number of characters from 1 on, such as U@12000"),
        ("nDCG(gains=5)@3", "gains: the highest grade is 2, but they are given only up to level 1"),
        ("nDGC@10", 'no measure "nDGC@10"; did you mean nDCG@10'),
        ("RBO(q=1)", "RBO(q=1): RBO has no parameter q (it has p, ties, part)"),
        ("RBO(p=1)", 'RBO(p=1): p: expected a number above 0 to below 1, found "1"'),
        ("RBO@10", "RBO@10: RBO has no cutoff"),
        ("overlap@0", 'overlap@0: k: expected a rank from 1 on, found "0"'),
        ("P(rel=3)@5", "rel: nothing can be relevant from level 3 on when the highest grade is 2"),
        ("nDCG(gains='1=-1,2=2')@5", "gains: MED needs gains from 0 on"),
    ],
)
def test_refused_measures(measure: str, message: str) -> None:
    with pytest.raises(MeasureError) as error:
        between([list("ab")], [list("ba")], measure)
    assert message in str(error.value)


def test_refused_requests(tmp_path: Path) -> None:
    first, second = [list("ab")], [list("ba")]
    qrels = {"0000": {"a": 3}}
    with pytest.raises(UsageError, match="level 3 is judged, which is above the highest grade, 2"):
        between(first, second, "P@2", qrels=qrels, max_grade=2)
    with pytest.raises(UsageError, match="judgements are needed"):
        between(first, second, "P@2", normalise="qrels")
    with pytest.raises(UsageError, match="short: expected filled or ended, found long"):
        between(first, second, "P@2", short="long")
    with pytest.raises(UsageError, match="two runs at least, found 1"):
        ireval.med({"only": as_run(first)})
    with pytest.raises(TypeError, match="no argument colour"):
        between(first, second, "P@2", colour="red")
    with pytest.raises(DataError, match=r"no topic is in both runs \(x, y\)"):
        ireval.med({"x": {"1": {"a": 1.0}}, "y": {"2": {"a": 1.0}}})
    with pytest.raises(UsageError, match="U@l needs files of passages"):
        between(first, second, "U@100")
    files = [TESTDATA / "sample" / name for name in ("old.passages", "new.passages")]
    with pytest.raises(UsageError, match="U@l is about passages, nDCG@20 about documents"):
        ireval.med(files, ["U@100", "nDCG@20"])
    with pytest.raises(UsageError, match="U@l takes no max grade: its characters are relevant or not"):
        ireval.med(files, "U", max_grade=2)
    with pytest.raises(UsageError, match="no ranks to order by"):
        ireval.med(files, "U", order="rank")
    with pytest.raises(UsageError, match="takes no judgements"):
        ireval.med(files, "U@100", qrels=qrels)
    twice = write_run(tmp_path / "twice.run", [("q1", ["a", "b", "a"])])
    fine = write_run(tmp_path / "fine.run", [("q1", ["a", "b", "c"])])
    with pytest.raises(DuplicateError, match='found "a" of topic q1 again'):
        ireval.med([fine, twice])
    assert ireval.med([fine, twice], "P@2", on_duplicate="first").pair().repeated == 1
