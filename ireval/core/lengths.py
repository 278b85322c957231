"""Lengths of documents, for measures that model reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ireval.core.columns import Ints, Texts, Words
from ireval.core.index import DocumentIndex
from ireval.core.judgements import repeated_rows
from ireval.errors import DuplicateError, printable

UNKNOWN = -1


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Characters and words of documents [N]; words are UNKNOWN where the file does not give them.

    default: characters and words of a document that the file lacks (None: they are UNKNOWN, and a measure that needs
    them fails).
    """

    file: str
    documents: Texts
    characters: Ints
    words: Ints
    lines: Ints
    default: tuple[int, int] | None = None

    def columns(self, keys: Words, documents: Texts) -> dict[str, Ints]:
        """Characters and words of each document, and whether the file has it (1 or 0); each [N]."""
        row = self._index.find(np.zeros(1, np.int64), np.array([0, len(keys)], np.int64), keys, documents)
        characters, words = self.default or (UNKNOWN, UNKNOWN)
        return {
            "characters": np.append(self.characters, characters)[row],
            "words": np.append(self.words, words)[row],
            "measured": (row >= 0).astype(np.int64),
        }

    @property
    def _index(self) -> DocumentIndex:
        if "index" not in self.__dict__:
            off = np.array([0, len(self.documents)], np.int64)
            self.__dict__["index"] = DocumentIndex(off, self.documents.keys(), self.documents, self._repeated)
        index: DocumentIndex = self.__dict__["index"]
        return index

    def _repeated(self) -> DuplicateError:
        repeats, firsts = repeated_rows(np.zeros(len(self.documents), np.int64), self.documents.keys(), self.documents)
        pick = int(np.argmin(self.lines[repeats]))
        name = printable(self.documents[int(repeats[pick])])
        first = int(self.lines[firsts[pick]])
        return DuplicateError(
            self.file,
            int(self.lines[repeats[pick]]),
            "document",
            f'expected one length for each document, found "{name}" again (first on line {first})',
        )
