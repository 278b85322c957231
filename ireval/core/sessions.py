"""Sessions: several ranked lists about one need, with its judgements and perhaps clicks. All flat, with offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, refuse_duplicates, without_repeats
from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, ClickColumns, Ints, RunColumns, SessionColumns, Texts, Words
from ireval.core.judgements import Judgements
from ireval.errors import InputError, printable

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False, repr=False)
class Clicks:
    """Clicks of S sessions in the order of time: those of session s are off[s]:off[s+1].

    list [C]: the ranked list clicked on. rank, length [C]: rank of the document there, and its characters.
    """

    off: Ints
    list: Ints
    rank: Ints
    length: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Sessions:
    """Ranked lists of S sessions.

    rows: all lists of each session one after the other, as if they were one ranking. list_off [M+1]: rows of each list,
    best first; list_session, list_query [M]: its session (0 to S-1) and the number of its query, ascending within a
    session. keys, documents [N]: of each row.
    """

    rows: Aligned
    list_off: Ints
    list_session: Ints
    list_query: Ints
    keys: Words
    documents: Texts
    clicks: Clicks | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def row_list(self) -> Ints:
        """List of each row; [N]."""
        return self.rows.once("row_list", lambda: ragged.owners(self.list_off))

    @property
    def list_rank(self) -> Ints:
        """Rank of each row in its own list, from 1; [N]."""
        return self.rows.once("list_rank", lambda: ragged.positions(self.list_off) + 1)

    @property
    def queries(self) -> Ints:
        """Highest query number of each session; [S]."""
        last = np.searchsorted(self.list_session, np.arange(len(self)), side="right") - 1
        return self.list_query[last]

    @property
    def lowest_click(self) -> Ints:
        """Lowest rank clicked on in each list, 0 where there is no click; [M]."""

        def find() -> Ints:
            lowest = np.zeros(len(self.list_query), np.int64)
            if self.clicks is not None:
                np.maximum.at(lowest, self.clicks.list, self.clicks.rank)
            return lowest

        return self.rows.once("lowest_click", find)

    def repeated(self, rows: Ints) -> Bools:
        """Whether each of these rows (ascending) has a document that an earlier one of its session has; [len(rows)]."""
        document = self._document_numbers[rows]
        first = np.empty(len(self.keys), np.int64)
        first[document[::-1]] = rows[::-1]  # the last assignment counts, so the first row of each document stays
        return first[document] != rows

    @property
    def _document_numbers(self) -> Ints:
        """A number for each row, the same for the same document of a session; [N]."""

        def compute() -> Ints:
            session = self.rows.row_topic
            mixed = self.keys + session.astype(np.uint64) * _SPREAD
            order = np.argsort(mixed, kind="stable")
            close = mixed[order[1:]] == mixed[order[:-1]]
            pairs = np.flatnonzero(close)
            before, after = order[pairs], order[pairs + 1]
            same = self.documents.equal(before, self.documents, after) & (session[before] == session[after])
            if not bool(same.all()):  # two documents with one key: compare names
                names: dict[tuple[int, bytes], int] = {}
                listed = zip(session.tolist(), self.documents.to_list(), strict=True)
                return np.array([names.setdefault(pair, len(names)) for pair in listed], np.int64)
            number = np.zeros(len(order), np.int64)
            number[order] = np.cumsum(np.append(True, ~close))[: len(order)] - 1
            return number

        return self.rows.once("document_numbers", compute)


def judgements_of_sessions(judged: Judgements, topic_of: Mapping[bytes, bytes]) -> Judgements:
    """Judgements by session: those of the topic that it is about. Sessions about other topics are left out."""
    number = {name: i for i, name in enumerate(judged.topics)}
    sessions = sorted(session for session, topic in topic_of.items() if topic in number)
    topic = np.array([number[topic_of[session]] for session in sessions], np.int64)
    length = np.diff(judged.off)[topic]
    rows = ragged.ranges(judged.off[:-1][topic], length)
    return Judgements(
        judged.file,
        sessions,
        ragged.offsets(length),
        judged.level[rows],
        judged.documents.take(rows),
        judged.keys[rows],
        judged.lines[rows],
    )


class SessionsRead(NamedTuple):
    """The judged sessions; how many have no judgements; how many repeated documents, how many clicks on sessions
    without lists or judgements were passed over."""

    sessions: Sessions
    unjudged: int
    repeated: int
    lost_clicks: int


def align_sessions(
    columns: SessionColumns, judged: Judgements, policy: Policy, clicks: ClickColumns | None = None
) -> SessionsRead:
    """The judged sessions, in the order in which they first appear.

    A document twice in one list is treated as the policy says. A click must be on a rank of a list that is there.
    """
    number = {name: i for i, name in enumerate(judged.topics)}
    topic_of = np.array([number.get(name, -1) for name in columns.sessions], np.int64)
    unjudged = int(np.count_nonzero(topic_of < 0))
    spread = int(columns.query.max(initial=0)) + 1
    place = columns.session.astype(np.int64) * spread + columns.query  # lists in order: by session, then by query
    rows: Ints | slice = slice(None)  # most files are in order already and need no copy
    if unjudged or bool((place[1:] < place[:-1]).any()):
        rows = np.flatnonzero(topic_of[columns.session] >= 0)
        rows = rows[np.argsort(place[rows], kind="stable")]
        place = place[rows]
    starts = np.flatnonzero(np.append(True, place[1:] != place[:-1])[: len(place)])
    list_place, list_off = place[starts], np.append(starts, len(place))
    list_topic, list_query = topic_of[list_place // spread], list_place % spread
    run = RunColumns(
        columns.file,
        [
            judged.topics[t] + b", query %d" % query
            for t, query in zip(list_topic.tolist(), list_query.tolist(), strict=True)
        ],
        list_off,
        columns.documents.take(rows),
        columns.scores[rows],
        columns.ranks[rows] if columns.ranks is not None else None,
        columns.lines[rows],
        columns.tag,
    )
    keys, documents = run.documents.keys(), run.documents
    off, order, repeated = without_repeats(run, keys, policy)
    if order is not None:
        keys, documents = keys[order], documents.take(order)
    if policy.on_duplicate == "error":
        refuse_duplicates(run, np.arange(len(list_place)), off, keys, documents, order)
    new_session = np.append(True, list_topic[1:] != list_topic[:-1])[: len(list_topic)]
    list_session = np.cumsum(new_session) - 1
    own_topics = list_topic[new_session].astype(np.int32)
    session_off = np.append(off[:-1][new_session], off[-1])
    found = judged.find(own_topics, session_off, keys, documents)
    clicked, lost = None, 0
    if clicks is not None:
        own = list_place[new_session] // spread
        clicked = _placed(clicks, columns, own, list_place, np.diff(off), spread)
        lost = len(clicks.rank) - len(clicked.rank)
    aligned = Aligned(judged, own_topics, session_off, found)
    sessions = Sessions(aligned, off, list_session, list_query, keys, documents, clicked)
    return SessionsRead(sessions, unjudged, repeated, lost)


def _placed(
    clicks: ClickColumns, columns: SessionColumns, own: Ints, list_place: Ints, list_length: Ints, spread: int
) -> Clicks:
    """The clicks of sessions that are there, grouped by session in the order of time, each with its list.

    own: index of each of these sessions in the columns. list_place: spread x that index + the query, of each list.
    """
    session_of = np.full(len(columns.sessions) + 1, -1, np.int64)  # the last one: no such session
    session_of[own] = np.arange(len(own))
    number = {name: i for i, name in enumerate(columns.sessions)}
    index = np.array([number.get(name, -1) for name in clicks.sessions], np.int64)[clicks.session]
    session = session_of[index]
    rows = np.flatnonzero(session >= 0)
    rows = rows[np.argsort(session[rows], kind="stable")]
    query, rank = clicks.query[rows], clicks.rank[rows]
    wanted = index[rows] * spread + query
    at = np.minimum(np.searchsorted(list_place, wanted), max(len(list_place) - 1, 0))
    known = (list_place[at] == wanted) & (query < spread)
    bad = np.flatnonzero(~known | (rank > np.where(known, list_length[at], 0)))
    if len(bad):
        first = bad[np.argmin(clicks.lines[rows[bad]])]
        name = f"session {printable(clicks.sessions[clicks.session[rows[first]]])}, query {int(query[first])}"
        if not known[first]:
            field, why = "query", f"expected a query of {printable(columns.file)}, found {name}, which has no documents"
        else:
            length = int(list_length[at[first]])
            field, why = "rank", f"expected one of the {length} documents of {name}, found rank {int(rank[first])}"
        raise InputError(clicks.file, int(clicks.lines[rows[first]]), field, why)
    off = ragged.offsets(np.bincount(session[rows], minlength=len(own)))
    return Clicks(off, at, rank, clicks.length[rows])
