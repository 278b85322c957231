"""From run columns to rankings: order, ties, depth, condensed lists, and the search for repeated documents."""

from __future__ import annotations

import math
import random

import numpy as np
import oracle
import pytest

from ireval.core.align import Policy, _may_repeat, align, rank_order
from ireval.core.aligned import Aligned, concatenate
from ireval.core.columns import QrelsColumns, RunColumns, texts_from
from ireval.core.judgements import NOT_IN_POOL, UNJUDGED, Judgements, judgements, part, repeated_rows, select
from ireval.core.ragged import offsets
from ireval.errors import UsageError


def run_of(topics: dict[bytes, list[tuple[bytes, float]]], ranks: list[int] | None = None) -> RunColumns:
    rows = [row for inner in topics.values() for row in inner]
    return RunColumns(
        "run",
        list(topics),
        offsets(np.array([len(inner) for inner in topics.values()], np.int64)),
        texts_from([d for d, _ in rows]),
        np.array([s for _, s in rows], np.float64),
        np.array(ranks) if ranks is not None else None,
        np.arange(1, len(rows) + 1),
        b"tag",
    )


def judged_of(topics: dict[bytes, dict[bytes, int]]) -> Judgements:
    rows = [(t, d, n) for t, inner in enumerate(topics.values()) for d, n in inner.items()]
    return judgements(
        QrelsColumns(
            "qrels",
            list(topics),
            np.array([t for t, _, _ in rows], np.int32),
            texts_from([d for _, d, _ in rows]),
            np.array([n for _, _, n in rows], np.int32),
            np.arange(1, len(rows) + 1, dtype=np.int32),
        )
    )[0]


def ordered(run: RunColumns, **policy: object) -> list[list[bytes]]:
    """Document ids of each topic in rank order."""
    order = rank_order(run, Policy(**policy))  # type: ignore[arg-type]
    rows = np.arange(len(run.scores)) if order is None else order
    names = run.documents.take(rows).to_list()
    return [names[run.off[i] : run.off[i + 1]] for i in range(len(run.topics))]


@pytest.mark.parametrize("ascending", [False, True])
def test_score_order_against_the_oracle(ascending: bool) -> None:
    rng = random.Random(1)
    for _ in range(60):
        topics = {}
        for t in range(rng.randrange(1, 5)):
            names = rng.sample([b"a", b"aa", b"ab", b"b", b"\xff", b"d1", b"d10", b"d2", b"long-id-8", b"long-id-9"], 6)
            topics[b"%d" % t] = [(d, rng.choice([0.0, -0.0, 1.0, 1.5, -2.0, math.inf, -math.inf])) for d in names]
        want = [oracle.rank(inner, ascending=ascending) for inner in topics.values()]
        assert ordered(run_of(topics), ties_ascending=ascending) == want


def test_no_sort_where_scores_descend() -> None:
    """The quick answer, and the cases that must not take it."""
    assert rank_order(run_of({b"1": [(b"a", 3.0), (b"b", 2.0)], b"2": [(b"a", 9.0)]}), Policy()) is None
    assert ordered(run_of({b"1": [(b"a", 3.0), (b"b", 3.0)], b"2": [(b"c", 3.0)]})) == [[b"b", b"a"], [b"c"]]
    assert rank_order(run_of({b"1": []}), Policy()) is None
    assert ordered(run_of({b"0": [], b"1": [(b"a", 1.0), (b"b", 2.0)], b"2": []})) == [[], [b"b", b"a"], []]


def test_scores_that_are_equal_as_floats() -> None:
    run = run_of({b"1": [(b"a", 1.00000001), (b"b", 1.0), (b"c", 1e300), (b"d", 1e301)]})
    assert ordered(run) == [[b"d", b"c", b"a", b"b"]]
    assert ordered(run, single=True) == [[b"d", b"c", b"b", b"a"]]


def test_order_by_rank_or_by_line() -> None:
    topics = {b"1": [(b"a", 1.0), (b"b", 3.0), (b"d", 0.5), (b"c", 2.0)], b"2": [(b"a", 1.0), (b"b", 2.0)]}
    run = run_of(topics, [2, 1, 2, 2, 0, 1])
    assert ordered(run, order="rank") == [[b"b", b"a", b"d", b"c"], [b"a", b"b"]], "equal ranks keep their lines' order"
    assert ordered(run, order="file") == [[b"a", b"b", b"d", b"c"], [b"a", b"b"]]
    assert ordered(run, order="score") == [[b"b", b"c", b"a", b"d"], [b"b", b"a"]]
    assert rank_order(run_of(topics, [1, 2, 2, 2, 1, 5]), Policy(order="rank")) is None
    with pytest.raises(UsageError, match="run: this run has no ranks to order by"):
        rank_order(run_of(topics), Policy(order="rank"))


def test_aligned_rows() -> None:
    judged = judged_of({b"2": {b"a": 1, b"b": -3, b"c": 0}, b"1": {b"z": 2}})
    run = run_of({b"x": [(b"a", 1.0)], b"2": [(b"a", 1.0), (b"q", 2.0), (b"b", 3.0)], b"1": [(b"z", 1.0)]})
    aligned, repeated = align(run, judged, Policy())
    assert repeated == 0 and len(aligned) == 2
    assert [judged.topics[t] for t in aligned.topic] == [b"2", b"1"]
    assert aligned.relevance.tolist() == [UNJUDGED, NOT_IN_POOL, 1, 2]
    assert aligned.rank.tolist() == [1, 2, 3, 1]
    assert aligned.retrieved.tolist() == [3, 1]
    assert aligned.hits(1).rank.tolist() == [3, 1]
    assert aligned.hits_within(1, 2).tolist() == [0, 1]
    assert aligned.condensed().relevance.tolist() == [1, 2]
    assert align(run, judged, Policy(condensed=True))[0].relevance.tolist() == [1, 2]
    cut = align(run, judged, Policy(depth=1))[0]
    assert cut.relevance.tolist() == [UNJUDGED, 2]
    assert align(run, judged, Policy(depth=-1))[0].retrieved.tolist() == [0, 0]


def test_missing_topics_and_concatenation() -> None:
    judged = judged_of({b"1": {b"a": 1}, b"2": {b"b": 1}, b"3": {b"c": 1}})
    first, _ = align(run_of({b"3": [(b"c", 1.0), (b"x", 0.5)]}), judged, Policy())
    second, _ = align(run_of({b"1": [(b"y", 1.0)]}), judged, Policy())
    both = concatenate([first, second])
    assert both.topic.tolist() == [2, 0] and both.retrieved.tolist() == [2, 1]
    assert both.relevance.tolist() == [1, NOT_IN_POOL, NOT_IN_POOL]
    assert concatenate([first]) is first
    assert both.with_missing(np.zeros(0, np.int32), 1) is both
    filled = both.with_missing(np.array([1], np.int32), 2)
    assert filled.topic.tolist() == [2, 0, 1] and filled.retrieved.tolist() == [2, 1, 2]
    assert filled.relevance.tolist()[-2:] == [NOT_IN_POOL, NOT_IN_POOL]
    empty = Aligned(judged, np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32))
    assert empty.with_missing(np.array([1], np.int32), 0).retrieved.tolist() == [0]


def test_selected_judgements() -> None:
    judged = judged_of({b"1": {b"a": 1, b"b": 2}, b"2": {b"c": 3}})
    some = select(judged, np.array([False, True, False]))
    assert some.topics == [b"1", b"2"] and some.off.tolist() == [0, 1, 1]
    assert some.documents.to_list() == [b"b"] and some.level.tolist() == [2]
    assert some.top_levels().tolist() == [2, -1] and some.number_relevant(1).tolist() == [1, 0]


def test_a_part_of_the_judgements() -> None:
    """What is left out is not in the pool; the rest is as it was; the scale stays that of the whole."""
    judged = judged_of({b"1": {b"a": 1, b"b": 3, b"x": -1}, b"2": {b"c": 2}})
    run = run_of({b"2": [(b"c", 2.0), (b"q", 1.0)], b"1": [(b"x", 4.0), (b"b", 3.0), (b"q", 2.0), (b"a", 1.0)]})
    whole = align(run, judged, Policy())[0]
    assert whole.relevance.tolist() == [2, NOT_IN_POOL, UNJUDGED, 3, NOT_IN_POOL, 1]
    some = part(judged, np.array([True, False, False, True]))
    aligned = whole.with_judgements(some)
    assert aligned.relevance.tolist() == [2, NOT_IN_POOL, NOT_IN_POOL, NOT_IN_POOL, NOT_IN_POOL, 1]
    assert some.judgements.number_relevant(1).tolist() == [1, 1] and some.judgements.top_levels().tolist() == [1, 2]
    assert some.judgements.scale is judged and judged.scale is judged
    assert aligned.condensed().retrieved.tolist() == [1, 1]
    twice = part(some.judgements, np.array([True, False]))
    assert aligned.with_judgements(twice).relevance.tolist() == [NOT_IN_POOL] * 5 + [1]
    assert twice.judgements.scale is judged


def test_topics_taken_in_another_order() -> None:
    judged = judged_of({b"1": {b"a": 1}, b"2": {b"c": 2}})
    run = run_of({b"2": [(b"c", 2.0), (b"q", 1.0)], b"1": [(b"a", 4.0)]})
    taken = align(run, judged, Policy())[0].take(np.array([1, 0]))
    assert taken.topic.tolist() == [0, 1] and taken.off.tolist() == [0, 1, 3]
    assert taken.relevance.tolist() == [1, 2, NOT_IN_POOL]


# -- repeated documents ---------------------------------------------------------------------------------------------


def test_may_repeat_is_never_wrong() -> None:
    rng = random.Random(2)
    seen = set()
    for _ in range(400):
        size = rng.choice([0, 1, 2, 5, 40, 300])
        kind = rng.randrange(3)
        if kind == 0:
            keys = [rng.getrandbits(64) for _ in range(size)]
        elif kind == 1:  # the bits looked at first are equal
            keys = [rng.getrandbits(12) for _ in range(size)]
        else:
            keys = [(rng.getrandbits(3) << 61) | rng.getrandbits(20) for _ in range(size)]
        if size > 1 and rng.random() < 0.3:
            keys[rng.randrange(size)] = keys[0]
        want = len(set(keys)) < len(keys)
        assert _may_repeat(np.array(keys, np.uint64)) == want
        seen.add((kind, want))
    assert len(seen) == 6


def test_keys_that_share_most_of_their_bits() -> None:
    """The search goes through all bits of a key before it sorts."""
    keys = np.arange(64, dtype=np.uint64)
    assert not _may_repeat(keys)
    assert _may_repeat(np.append(keys, np.uint64(5)))
    assert not _may_repeat(keys << np.uint64(58))


def test_repeated_rows() -> None:
    owner = np.array([0, 0, 0, 1, 1, 0])
    documents = texts_from([b"a", b"b", b"a", b"a", b"b", b"a"])
    repeats, firsts = repeated_rows(owner, documents.keys(), documents)
    assert (repeats.tolist(), firsts.tolist()) == ([2, 5], [0, 0])
    none, _ = repeated_rows(owner[:2], documents.keys()[:2], documents)
    assert none.tolist() == []
