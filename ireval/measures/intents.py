"""Intent recall: how many of a topic's intents a ranking covers."""

from __future__ import annotations

from collections.abc import Container, Sequence


def covered_intents(documents: Sequence[bytes], intents: Sequence[Container[bytes]]) -> list[int]:
    """How many intents have a relevant document among the first r, for r = 0, 1, 2, ...

    I-rec@k = intents covered by the first k documents / intents. Source: Sakai, Craswell, Song, Robertson, Dou & Lin,
    Simple Evaluation Metrics for Diversified Search Results, EVIA 2010.
    """
    open_intents, covered = list(range(len(intents))), [0]
    for document in documents:
        open_intents = [intent for intent in open_intents if document not in intents[intent]]
        covered.append(len(intents) - len(open_intents))
    return covered
