"""Lengths of documents, for measures that model reading."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ireval.core.columns import Ints, Texts, Words
from ireval.core.index import DocumentIndex
from ireval.errors import DuplicateError, printable

UNKNOWN = -1


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Characters and words of documents [N]; words are UNKNOWN where the file does not give them.

    default: characters of a document that the file lacks (None: it has no length, and a measure that needs it fails).
    """

    file: str
    documents: Texts
    characters: Ints
    words: Ints
    lines: Ints
    default: int | None = None
    missing: dict[bytes, None] = field(default_factory=dict)
    """Documents that were asked for and not found, in order of appearance (the first few)."""

    def of(self, keys: Words, documents: Texts) -> tuple[Ints, Ints]:
        """Characters and words of each document, UNKNOWN where there is no length; two [N]."""
        row = self._index.find(np.zeros(1, np.int64), np.array([0, len(keys)], np.int64), keys, documents)
        for i in np.flatnonzero(row < 0)[:5].tolist():
            self.missing.setdefault(documents[i])
        other = UNKNOWN if self.default is None else self.default
        return np.append(self.characters, other)[row], np.append(self.words, UNKNOWN)[row]

    @property
    def _index(self) -> DocumentIndex:
        if "index" not in self.__dict__:
            off = np.array([0, len(self.documents)], np.int64)
            self.__dict__["index"] = DocumentIndex(off, self.documents.keys(), self.documents, self._repeated)
        index: DocumentIndex = self.__dict__["index"]
        return index

    def _repeated(self, rows: Ints, holders: np.ndarray) -> DuplicateError:
        lines = sorted((int(self.lines[rows[0]]), int(self.lines[holders[0]])))
        name = printable(self.documents[int(rows[0])])
        return DuplicateError(
            self.file, lines[1], "document",
            f'expected one length for each document, found "{name}" again (first on line {lines[0]})',
        )
