"""Texts and their reference texts as numbers: each word is one, the same for the same word everywhere."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ireval.core.columns import Ints
from ireval.core.ragged import offsets
from ireval.core.words import splitter


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """The words of some texts: those of text i are number[off[i]:off[i+1]]."""

    number: Ints
    off: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Summaries:
    """Texts [T] of one system and references [P].

    reference_of [P]: the text that each reference is about, ascending. vocabulary: word numbers are below it.
    """

    texts: Words
    references: Words
    reference_of: Ints
    vocabulary: int
    counts: dict[Hashable, tuple[Ints, Ints, Ints]] = field(default_factory=dict)
    """What was counted before: several measures need the same."""

    def __len__(self) -> int:
        return len(self.texts.off) - 1


class Vocabulary:
    """Numbers words in the order in which they come."""

    def __init__(self, tokenising: str) -> None:
        self._split = splitter(tokenising)
        self._number: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def words(self, texts: Sequence[str]) -> Words:
        """The words of some texts; new ones are learnt."""
        known, numbers, lengths = self._number, [], []
        for text in texts:
            found = [known.setdefault(word, len(known)) for word in self._split(text)]
            numbers.append(np.array(found, np.int64))
            lengths.append(len(found))
        joined = np.concatenate(numbers) if numbers else np.zeros(0, np.int64)
        return Words(joined, offsets(np.array(lengths, np.int64)))


def summaries(
    system: Mapping[bytes, str], references: Sequence[Mapping[bytes, str]], ids: Sequence[bytes], vocabulary: Vocabulary
) -> Summaries:
    """The texts `ids` of a system, all of which it has, and their references in the order given."""
    pairs = [(i, given[name]) for i, name in enumerate(ids) for given in references if name in given]
    texts = vocabulary.words([system[name] for name in ids])
    against = vocabulary.words([text for _, text in pairs])
    return Summaries(texts, against, np.array([i for i, _ in pairs], np.int64), len(vocabulary))
