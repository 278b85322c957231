"""The few sentences that go to stderr beside the results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ireval.errors import printable

if TYPE_CHECKING:
    from ireval.core.scores import RunFacts


def quiet() -> bool:
    """Whether the environment asks for silence."""
    return os.environ.get("IREVAL_QUIET", "") not in ("", "0")


def _some(names: tuple[bytes, ...], most: int = 5) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")


def coverage(facts: RunFacts, fate: str, run: str = "") -> str:
    """What an evaluation left out, in one line; empty when it is complete. fate: what happens to missing topics."""
    scored = facts.judged - len(facts.missing)
    parts = []
    if facts.missing:
        parts.append(f"{len(facts.missing)} missing ({_some(facts.missing)}), {fate}")
    if facts.unjudged:
        parts.append(f"{facts.unjudged} topic{'s' if facts.unjudged != 1 else ''} without judgements not scored")
    if facts.repeated:
        parts.append(f"{facts.repeated} repeated document{'s' if facts.repeated != 1 else ''} passed over")
    if facts.lengthless:
        parts.append(f"{facts.lengthless} retrieved documents took the default length")
    if not parts:
        return ""
    name = f"{printable(run)}: " if run else ""
    return f"{name}{scored} of {facts.judged} judged topics scored; " + "; ".join(parts)
