"""Run columns + judgements -> Aligned: put documents in order, cut, look for duplicates, find the judgements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import PADDING, Int32s, Ints, RunColumns, Texts, Words
from ireval.core.judgements import Judgements, repeated_rows
from ireval.errors import DuplicateError, UsageError, printable

if TYPE_CHECKING:
    from ireval.core.lengths import Lengths

ORDERS = ("score", "rank", "file")
DUPLICATES = ("error", "first", "keep")
PACKED_TOGETHER = 100_000
"""Texts copied at once: a copy needs 8 bytes for each byte."""


@dataclass(frozen=True, eq=False, repr=False)
class Policy:
    """How a run is turned into rankings.

    order: by score, by the rank column, or as the lines stand. single: compare scores as floats (trec_eval 9).
    ties_ascending: equal scores by document number from low to high (preferences in trec_eval; else high to low).
    depth: documents kept per topic. on_duplicate: a repeated document is an error, passed over (first), or kept.
    """

    order: str = "score"
    single: bool = False
    ties_ascending: bool = False
    depth: int | None = None
    on_duplicate: str = "error"
    condensed: bool = False


class Ranked(NamedTuple):
    """Rankings of some topics: rows off[i]:off[i+1] belong to the i-th, best first."""

    off: Ints
    keys: Words
    documents: Texts
    order: Ints | None
    """row of the run that each row was; None where they are the same"""
    repeated: int
    """documents that were passed over because they stood there before"""


def align(run: RunColumns, judged: Judgements, policy: Policy, lengths: Lengths | None = None) -> tuple[Aligned, int]:
    """Rankings of the judged topics among the run's, and how many repeated documents were passed over."""
    topic, children = _judged_topics(run, judged)
    kept = np.flatnonzero(topic >= 0)
    if len(kept) < len(topic):
        run, topic = with_topics(run, kept), topic[kept]
    off, keys, documents, _, repeated = ranked(run, policy)
    if children is not None:  # each topic once for every group that judged it
        groups = [children[t] for t in topic.tolist()]
        many = np.array([len(g) for g in groups], np.int64)
        rows = ragged.ranges(np.repeat(off[:-1], many), np.repeat(np.diff(off), many))
        off = ragged.offsets(np.repeat(np.diff(off), many))
        keys, documents = keys[rows], documents.take(rows)
        topic = np.array([g for gs in groups for g in gs], np.int32)
    found = judged.find(topic, off, keys, documents)
    columns = lengths.columns(keys, documents) if lengths is not None else {}
    aligned = Aligned(judged, topic, off, found, columns)
    return (aligned.condensed() if policy.condensed else aligned), repeated


def with_topics(run: RunColumns, chosen: Ints) -> RunColumns:
    """Some topics of a run, by number, in the order given."""
    length = np.diff(run.off)[chosen]
    rows = ragged.ranges(run.off[chosen], length)
    return with_rows(run, [run.topics[i] for i in chosen.tolist()], ragged.offsets(length), rows)


def with_rows(run: RunColumns, topics: list[bytes], off: Ints, rows: Ints | slice) -> RunColumns:
    """Some rows of a run, in the order given; off: where each of the topics begins among them."""
    return RunColumns(
        run.file,
        topics,
        off,
        run.documents.take(rows),
        run.scores[rows],
        run.ranks[rows] if run.ranks is not None else None,
        run.lines[rows],
        run.tag,
        run.first_tag,
    )


def shortened(run: RunColumns, policy: Policy) -> RunColumns:
    """A run with nothing below the policy's depth, for one that is kept and ranked again and again.

    Repeated documents stay, to be refused or passed over when it is ranked; where they are passed over, others may come
    up from below, so the run stays as it is.
    """
    if policy.depth is None or policy.on_duplicate == "first":
        return run
    found = ranked(run, replace(policy, on_duplicate="keep"))
    if found.order is None:
        return run
    return replace(with_rows(run, run.topics, found.off, found.order), documents=_packed(found.documents))


def _packed(texts: Texts) -> Texts:
    """The same texts over a buffer of their own, which holds nothing else."""
    off = ragged.offsets(texts.length)
    buffer = np.zeros(int(off[-1]) + PADDING, np.uint8)
    for first in range(0, len(texts), PACKED_TOGETHER):
        some = texts.take(slice(first, first + PACKED_TOGETHER))
        end = int(off[min(first + PACKED_TOGETHER, len(texts))])
        buffer[int(off[first]) : end] = texts.buffer[
            ragged.ranges(some.start.astype(np.int64), some.length.astype(np.int64))
        ]
    return Texts(buffer, off[:-1], texts.length)


def ranked(run: RunColumns, policy: Policy) -> Ranked:
    """The run's documents in rank order, cut, and without duplicates as the policy has it."""
    keys = run.documents.keys()
    off, order, repeated = without_repeats(run, keys, policy)
    if policy.depth is not None and len(off) > 1 and int(np.diff(off).max()) > policy.depth:
        length = np.minimum(np.diff(off), max(policy.depth, 0))
        cut = ragged.ranges(off[:-1], length)
        order = cut if order is None else order[cut]
        off = ragged.offsets(length)
    documents = run.documents
    if order is not None:
        keys, documents = keys[order], documents.take(order)
    if policy.on_duplicate == "error":
        refuse_duplicates(run, np.arange(len(run.topics)), off, keys, documents, order)
    return Ranked(off, keys, documents, order, repeated)


def _judged_topics(run: RunColumns, judged: Judgements) -> tuple[Int32s, dict[int, list[int]] | None]:
    """Number of each run topic among the evaluated topics, -1 for the others; and the groups of each topic."""
    number = judged.once("topic_number", lambda: {name: i for i, name in enumerate(judged.evaluated)})
    topic = np.array([number.get(name, -1) for name in run.topics], np.int32)
    if judged.parent is None:
        return topic, None
    return topic, judged.once("children", judged.children)


def without_repeats(run: RunColumns, keys: Words, policy: Policy) -> tuple[Ints, Ints | None, int]:
    """Offsets of the rankings, their rows best first (None: as they stand), and how many repeats were passed over.

    Only the policy "first" passes any over; of a repeated document the first line counts, whatever its score.
    """
    off, order = run.off, rank_order(run, policy)
    if policy.on_duplicate != "first":
        return off, order, 0
    owner = ragged.owners(off)
    repeats = repeated_rows(owner, keys, run.documents)[0]
    if len(repeats):
        order = np.arange(len(keys)) if order is None else order
        order = order[~np.isin(order, repeats)]
        off = ragged.offsets(np.bincount(owner[order], minlength=len(off) - 1))
    return off, order, len(repeats)


def rank_order(run: RunColumns, policy: Policy) -> Ints | None:
    """Row numbers in rank order, topic by topic; None when the rows stand in rank order already."""
    if policy.order == "file" or len(run.scores) < 2:
        return None
    starts = np.zeros(len(run.scores), np.bool_)
    starts[run.off[:-1][np.diff(run.off) > 0]] = True
    if policy.order == "rank":
        if run.ranks is None:
            raise UsageError(f"{run.file}: this run has no ranks to order by")
        if bool(((run.ranks[1:] >= run.ranks[:-1]) | starts[1:]).all()):
            return None
        return np.lexsort((run.ranks, ragged.owners(run.off)))
    scores: NDArray[np.floating] = run.scores
    if policy.single:
        with np.errstate(over="ignore"):  # too large for a float is infinite, as in C
            scores = scores.astype(np.float32)
    if bool(((scores[1:] < scores[:-1]) | starts[1:]).all()):
        return None
    owner = ragged.owners(run.off)
    order = np.arange(len(scores))
    if not bool(((scores[1:] <= scores[:-1]) | starts[1:]).all()):
        order = np.lexsort((-scores, owner))
    sorted_scores = scores[order]
    tied = (sorted_scores[1:] == sorted_scores[:-1]) & ~starts[1:]  # starts: sorting leaves each topic in its place
    if bool(tied.any()):
        _order_ties(order, tied, run.documents, policy.ties_ascending)
    return order


def _order_ties(order: Ints, tied: np.ndarray, documents: Texts, ascending: bool) -> None:
    """Put documents with equal scores in byte order of their numbers; changes `order`.

    tied [N-1]: whether place i+1 is tied with place i.
    """
    member = np.append(tied, False) | np.insert(tied, 0, False)
    places = np.flatnonzero(member)
    group = np.cumsum(~np.insert(tied, 0, False))[places]
    columns = documents.take(order[places]).sort_columns()
    if not ascending:
        columns = [~column for column in columns]
    order[places] = order[places][np.lexsort((*reversed(columns), group))]


def refuse_duplicates(
    run: RunColumns, topic: NDArray[np.integer], off: Ints, keys: Words, documents: Texts, order: Ints | None
) -> None:
    """Raise DuplicateError for the first line that repeats a document of its topic."""
    owner = ragged.owners(off)
    if not _may_repeat(keys + owner.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)):
        return
    repeats, firsts = repeated_rows(owner, keys, documents)
    if not len(repeats):
        return
    lines = run.lines if order is None else run.lines[order]
    later = np.maximum(lines[repeats], lines[firsts])
    pick = int(np.argmin(later))
    first = min(int(lines[repeats[pick]]), int(lines[firsts[pick]]))
    document = printable(documents[int(repeats[pick])])
    name = printable(run.topics[int(np.searchsorted(off, repeats[pick], side="right")) - 1])
    raise DuplicateError(
        run.file,
        int(later[pick]),
        "document",
        f'expected each document once in a topic, found "{document}" of topic {name} again (first on line {first})',
    )


def _may_repeat(keys: Words) -> bool:
    """Whether two of the keys are equal, without sorting them.

    Everybody writes his name into the slot his key points at and reads it again. Who finds another name there
    compares keys: equal keys share every slot, so either one of them holds it and the other sees that, or neither
    does and both go on to the next round, with other bits of the key.
    """
    bits = min(40, max(4, len(keys).bit_length() + 2))
    mask = np.uint64((1 << bits) - 1)
    slots = np.empty(1 << bits, np.int32)
    shift = 64 - bits
    while len(keys) > 1:
        at = ((keys >> np.uint64(shift)) & mask).astype(np.int64)
        names = np.arange(len(keys), dtype=np.int32)
        slots[at] = names
        holder = slots[at]
        beaten = np.flatnonzero(holder != names)
        if bool((keys[holder[beaten]] == keys[beaten]).any()):
            return True
        keys = keys[beaten]
        shift = shift - 7 if shift > 7 else 64 - bits
        if shift == 64 - bits and len(keys) > 1:  # bits used up: settle the few that are left
            return len(np.unique(keys)) < len(keys)
    return False
