"""Texts -> words, the same way for everything that compares texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_PATTERNS = {"words": r"[^\W_]+", "ascii": r"[a-z0-9]+", "blanks": r"\S+", "characters": r"\S"}

TOKENISINGS = {
    "words": "runs of letters and digits of any script, in lower case",
    "ascii": "runs of a-z and 0-9, in lower case, as ROUGE and the package rouge-score cut",
    "blanks": "what stands between blanks, as it is",
    "characters": "each character that is no blank, as it is",
}
"""Name -> what counts as a word."""


def splitter(tokenising: str) -> Callable[[str], list[str]]:
    """A function that gives the words of a text, in order."""
    find = re.compile(_PATTERNS[tokenising]).findall
    return (lambda text: find(text.lower())) if tokenising in ("words", "ascii") else find


def words_with_ends(text: str, tokenising: str) -> Iterator[tuple[str, int]]:
    """Each word of a text and where it ends in it."""
    if tokenising == "ascii":  # letters elsewhere may become a-z; one for one, so that places stay right
        text = "".join(c.lower()[:1] or c for c in text)
    for found in re.finditer(_PATTERNS[tokenising], text):
        # A word is lowered as a whole: a sigma at its end differs, and a character may become two (İ does).
        yield found[0].lower() if tokenising == "words" else found[0], found.end()
