"""Small random collections, the same for the same seed, and the way from them through ireval to scores."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ireval.core.align import Policy
from ireval.core.columns import IntentColumns, QrelsColumns
from ireval.core.intents import judgements_by_intent
from ireval.core.judgements import Judgements, judgements
from ireval.core.lengths import Lengths
from ireval.core.scores import Scores
from ireval.measures.registry import Choice, Cutoffs, Fractions, Gains, Measure, Number, Param, all_measures
from ireval.measures.spec import Spec, make_spec
from ireval.read.lengths import read_lengths
from ireval.read.source import Source
from ireval.read.trec import read_judgements
from ireval.scoring import TopicPolicy, score_run

TREC_EVAL = TopicPolicy(missing="skip", keep_nan=True)


@dataclass
class Topic:
    """One topic: what was retrieved, with scores as written, and the lines of the judgement file."""

    retrieved: list[tuple[bytes, str]] = field(default_factory=list)
    judged: dict[bytes, int] = field(default_factory=dict)
    groups: dict[bytes, dict[bytes, int]] = field(default_factory=dict)
    """Judgement group -> its judgements."""
    preferences: list[tuple[bytes, bytes, bytes, float]] = field(default_factory=list)
    """(group, subgroup, document, level)."""
    lengths: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    """Document -> characters and words; a document has the same in every topic."""

    @property
    def scored(self) -> list[tuple[bytes, float]]:
        """The retrieved documents with their scores."""
        return [(document, float(score)) for document, score in self.retrieved]


World = dict[bytes, Topic]


def run_lines(world: World) -> list[bytes]:
    """The run, a line each."""
    return [
        b"%s Q0 %s %d %s tag" % (name, document, at, score.encode())
        for name, topic in world.items()
        for at, (document, score) in enumerate(topic.retrieved)
    ]


def judgement_lines(world: World, needs: str) -> list[bytes]:
    """The judgements that serve measures with these needs."""
    if needs == "preferences":
        return [
            b"%s %s %s %s %s" % (name, group, subgroup, document, str(level).encode())
            for name, topic in world.items()
            for group, subgroup, document, level in topic.preferences
        ]
    if needs in ("groups", "intents"):
        return [
            b"%s %s %s %d" % (name, group, document, level)
            for name, topic in world.items()
            for group, judged in topic.groups.items()
            for document, level in judged.items()
        ]
    return [
        b"%s 0 %s %d" % (name, document, level)
        for name, topic in world.items()
        for document, level in topic.judged.items()
    ]


def length_lines(world: World) -> list[bytes]:
    """The lengths of all documents retrieved."""
    lengths = {document: length for topic in world.values() for document, length in topic.lengths.items()}
    return [b"%s %d %d" % (document, characters, words) for document, (characters, words) in lengths.items()]


FORMATS = {
    "levels": "qrels",
    "lengths": "qrels",
    "groups": "qrels_jg",
    "preferences": "prefs",
    "intents": "diversity",
}
PROBABILITY = {b"g1": 0.4, b"g2": 0.3, b"g10": 0.2, b"z": 0.1, b"one": 0.6, b"two": 0.4}
"""Of a judgement group that stands for an intent."""
NAVIGATIONAL = {b"g2", b"z"}


def intents_known(columns: QrelsColumns) -> IntentColumns:
    """Probabilities and types of all groups."""
    assert columns.groups is not None
    pairs = sorted({(columns.topics[t], g) for t, g in zip(columns.topic, columns.groups.to_list(), strict=True)})
    return IntentColumns(
        "intents",
        [topic for topic, _ in pairs],
        [group for _, group in pairs],
        np.array([PROBABILITY[group] for _, group in pairs]),
        np.array([group in NAVIGATIONAL for _, group in pairs]),
    )


def read_back(path: Path, needs: str = "levels") -> Judgements:
    """Judgements from a file in the format that serves these needs."""
    if needs == "intents":
        columns = read_judgements(Source(path), FORMATS[needs])
        return judgements_by_intent(columns, intents_known(columns))[0]
    return judgements(read_judgements(Source(path), FORMATS[needs]), by_group=needs == "groups")[0]


def lengths_for(folder: Path, world: World, needs: str) -> Lengths | None:
    """The lengths of a world's documents, written and read back, where they are needed."""
    if needs not in ("lengths", "intents") or not length_lines(world):
        return None
    (folder / "lengths").write_bytes(b"".join(line + b"\n" for line in length_lines(world)))
    return read_lengths(Source(folder / "lengths"))


def policy_for(needs: str, **changes: object) -> Policy:
    """How trec_eval ranks for measures with these needs."""
    return Policy(ties_ascending=needs == "preferences", **changes)  # type: ignore[arg-type]


def score_lines(
    folder: Path,
    run: Sequence[bytes],
    judged: Sequence[bytes],
    specs: Sequence[Spec],
    needs: str = "levels",
    lengths: Lengths | None = None,
    **changes: object,
) -> Scores:
    """Write both files, read them back and score."""
    (folder / "run").write_bytes(b"".join(line + b"\n" for line in run))
    (folder / "judgements").write_bytes(b"".join(line + b"\n" for line in judged))
    return score_run(
        read_back(folder / "judgements", needs),
        Source(folder / "run"),
        specs,
        policy_for(needs, **changes),
        TREC_EVAL,
        lengths=lengths,
    )


def score_world(folder: Path, world: World, specs: Sequence[Spec], needs: str = "levels", **changes: object) -> Scores:
    """Scores of a world."""
    lengths = lengths_for(folder, world, needs)
    return score_lines(folder, run_lines(world), judgement_lines(world, needs), specs, needs, lengths, **changes)


# -- making them up -------------------------------------------------------------------------------------------------


def _score(rng: random.Random) -> str:
    """Scores as people write them, often tied, some equal only as floats."""
    kind = rng.randrange(6)
    if kind == 0:
        return str(rng.randrange(4))
    if kind == 1:
        return f"{rng.randrange(-2, 3)}e-1"
    if kind == 2:
        return repr(rng.gauss(0, 10))
    if kind == 3:
        return f"1.00000000{rng.randrange(9)}"
    return f"{rng.uniform(-5, 5):.{rng.randrange(1, 4)}f}"


def _retrieve(rng: random.Random, judged: Sequence[bytes], depth: int) -> list[tuple[bytes, str]]:
    """Some judged documents and some that nobody knows, at least one."""
    wanted = rng.sample(list(judged), min(len(judged), rng.randrange(depth + 1)))
    others = [b"u%02d" % i for i in rng.sample(range(99), rng.randrange(depth + 1))]
    chosen = wanted + others if wanted or others else [b"u00"]
    rng.shuffle(chosen)
    return [(document, _score(rng)) for document in chosen]


def _judge(rng: random.Random, documents: Sequence[bytes], top: int) -> dict[bytes, int]:
    """Levels up to `top`; sometimes only zeros, sometimes many unjudged."""
    weights = rng.choice([[1, 1, 6, 4, 2, 2, 1], [0, 0, 5, 0, 0, 0, 0], [1, 5, 3, 3, 1, 1, 0], [0, 0, 2, 3, 3, 3, 0]])
    levels = [-2, -1, 0, 1, 2, 3, 12]
    return {d: min(rng.choices(levels, weights)[0], top) for d in documents}


def random_world(seed: int, topics: int = 60, top: int = 99, depth: int = 12) -> World:
    """Levels and judgement groups."""
    rng = random.Random(seed)
    world: World = {}
    for number in range(topics):
        documents = [b"d%03d" % i for i in rng.sample(range(200), rng.randrange(1, 2 * depth))]
        names = rng.sample([b"g1", b"g2", b"g10", b"z"], rng.randrange(1, 4))
        groups = {name: _judge(rng, rng.sample(documents, rng.randrange(1, len(documents) + 1)), top) for name in names}
        topic = Topic(_retrieve(rng, documents, depth), _judge(rng, documents, top), groups)
        world[b"t%03d" % number] = topic
    with_lengths(world, seed)
    return world


def with_lengths(world: World, seed: int) -> None:
    """Give every document retrieved its lengths: some empty, some too long to be worth anything."""
    for topic in world.values():
        for document, _ in topic.retrieved:
            rng = random.Random(f"{seed} {document!r}")
            words = rng.choice([0, rng.randrange(50), rng.randrange(3000), 200_000])
            topic.lengths[document] = (words * rng.randrange(1, 9), words)


def random_preferences(seed: int, topics: int = 60, depth: int = 9) -> World:
    """Preferences that do not contradict each other: every subgroup is a coarser view of one hidden order."""
    rng = random.Random(seed)
    world: World = {}
    for number in range(topics):
        documents = [b"d%03d" % i for i in rng.sample(range(200), rng.randrange(2, depth))]
        lines = []
        for group in rng.sample([b"a", b"b", b"c10", b"c9"], rng.randrange(1, 4)):
            worth = {d: rng.choice([0, 0, 0, 1, 2, 3, 4, -1]) for d in documents}
            for subgroup in rng.sample([b"s1", b"s2", b"s3"], rng.choice([1, 1, 2, 3])):
                step = rng.choice([1, 1, 2, 3])
                for document in rng.sample(documents, rng.randrange(1, len(documents) + 1)):
                    lines.append((group, subgroup, document, -(-worth[document] // step) * rng.choice([0.5]) or 0.0))
        rng.shuffle(lines)
        world[b"t%03d" % number] = Topic(_retrieve(rng, documents, depth), preferences=lines)
    return world


# -- specs ----------------------------------------------------------------------------------------------------------

GAINS = ("level", "exp2", "1=2,2=7,3=9", "L1=1,L3=0.5", "trec:1=2,2=7,3=9", "trec:2=1.9", "trec:1=5,1=2", "trec:3=0.5")
ODD_GAINS = ("trec:0=-1,1=0.4", "trec:-1=3", "trec:-2=2,1=0.5", "trec:1=0,2=0,3=0,12=0", "trec:1=-2", "-1=1,0=-1")
"""Maps under which a value may leave its bounds."""


NUMBERS: dict[str, list[object]] = {
    "length": [(10.0,), (3.0,), (0.0,), (2.7,)],
    "weight": [(1.0,), (0.5,), (2.0,), (0.0,)],
    "weights": [(1.0, -1.0, 0.0, 0.0), (1.0, -0.5, -0.2, 0.01)],
    "recalls": [tuple(n / 10 for n in range(11)), (0.2, 0.5, 0.8), (0.5,)],
    "p": [0.9, 0.5, 0.0, 1.0],
    "rel": [1, 0, 2, 3],
    "docs": [0, 5000],
    "beta": [1.0, 0.0, 0.5, 10.0],
    "gamma": [0.95, 0.5, 1.0],
    "b": [2.0, 10.0, 1.5, 2.5],
    "top": [None, 12.0],
    "penalties": ["4:3:2" + 9 * ":2", "inf:8:6:5:4:3.5:3:2.8:2.6:2.4:2.2:1.5"],
    "stops": ["", "1:2:3:4:5:6:7:8:9:10:11:12", "exp2", "1=3,2=1"],
    "least": [None, 2],
    "nmax": [1000.0, 7.0, 30.0],
    "half": [224.0, 30.0],
    "click_non": [0.39, 0.0],
    "L": [132000.0, 5000.0],
    "share": [0.2, 1.0],
    "alpha": [0.5, 0.0, 0.3, 1.0],
}
ODD_NUMBERS: dict[str, list[object]] = {"rel": [-1, -2], "b": [0.0], "recalls": [(0.8, 0.2, 0.5), (1.0, 0.0)]}


def choices(param: Param, odd: bool) -> list[object]:
    """Values worth trying for a parameter; of one that is not known here, its default."""
    if isinstance(param, Cutoffs):
        return [1, 3, 7, 1000]
    if isinstance(param, Fractions):
        return [0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5]
    if isinstance(param, Gains):
        return [*GAINS, *(ODD_GAINS if odd else ())]
    if isinstance(param, Choice):
        return list(getattr(param, "choices", ())) or ["nearest", "up"]
    if param.name == "beta" and isinstance(param, Number):  # of a blended ratio, or a probability
        return [value for value in NUMBERS["beta"] if param.allows(value)]  # type: ignore[arg-type]
    return [*NUMBERS.get(param.name, [param.default]), *(ODD_NUMBERS.get(param.name, []) if odd else [])]


def specs_of(record: Measure, *, odd: bool = False) -> list[Spec]:
    """A measure with every combination of values worth trying, or with some of them where they are too many."""
    values = {param.name: choices(param, odd) for param in record.params}
    if math.prod(map(len, values.values())) <= 400:
        combined = [dict(zip(values, one, strict=True)) for one in itertools.product(*values.values())]
    else:
        rng = random.Random(record.name)
        combined = [{name: rng.choice(some) for name, some in values.items()} for _ in range(200)]
    specs = [make_spec(record, one, {}) for one in combined]  # type: ignore[arg-type]
    return list(dict.fromkeys(specs))


def specs_for(needs: str, *, odd: bool = False) -> list[Spec]:
    """All specs of the measures with these needs, summaries left out."""
    records = [r for r in all_measures().values() if r.needs == needs and r.kind != "summary"]
    return [spec for record in records for spec in specs_of(record, odd=odd)]
