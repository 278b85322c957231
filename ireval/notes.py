"""The few sentences that go to stderr beside the results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ireval.errors import printable

if TYPE_CHECKING:
    from ireval.core.scores import RunFacts


def quiet() -> bool:
    """Whether the environment asks for silence."""
    return os.environ.get("IREVAL_QUIET", "") not in ("", "0")


def _some(names: tuple[bytes, ...], most: int = 5) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}{'es' if what.endswith('ch') else 's'}"


class Terms(NamedTuple):
    """What the things are called that scores are about.

    topic: one of them. whole: all that should be there. key: what a topic needs to be scored. repeated: what can occur
    once too often.
    """

    topic: str = "topic"
    whole: str = "judged topics"
    key: str = "judgements"
    repeated: str = "document"


RANKED = Terms()


def coverage(facts: RunFacts, fate: str, run: str = "", terms: Terms = RANKED) -> str:
    """What an evaluation left out, in one line; empty when it is complete. fate: what happens to missing topics."""
    scored = facts.judged - len(facts.missing)
    parts = []
    if facts.missing:
        parts.append(f"{len(facts.missing)} missing ({_some(facts.missing)}), {fate}")
    if facts.unjudged:
        parts.append(f"{_counted(facts.unjudged, terms.topic)} without {terms.key} not scored")
    if facts.repeated:
        parts.append(f"{_counted(facts.repeated, 'repeated ' + terms.repeated)} passed over")
    if facts.lengthless:
        parts.append(f"{facts.lengthless} retrieved documents took the default length")
    if facts.lost_clicks:
        parts.append(f"{_counted(facts.lost_clicks, 'click')} on sessions that are not scored passed over")
    if not parts:
        return ""
    name = f"{printable(run)}: " if run else ""
    return f"{name}{scored} of {facts.judged} {terms.whole} scored; " + "; ".join(parts)
