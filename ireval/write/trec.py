"""trec_eval's own layout: `name`, padded to 22 characters, topic, value; separated by tabs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ireval.write.table import Table


def number(value: float) -> str:
    """C's %6.4f; not-a-number as x86 C prints it."""
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"


def whole(value: float) -> str:
    """C's %ld of a double."""
    return str(int(value))


def line(name: str, topic: bytes, value: str) -> bytes:
    """One output line. Names and values may hold undecodable bytes as surrogates."""
    head = f"{name:<22s}\t".encode("utf-8", "surrogateescape")
    return head + topic + b"\t" + value.encode("utf-8", "surrogateescape") + b"\n"


def write_trec(table: Table) -> str:
    """The table's records as trec_eval would print them; a signature follows as a comment."""
    text = "".join(
        line(name, topic.encode("utf-8", "surrogateescape"), value).decode("utf-8", "surrogateescape")
        for name, topic, value in table.records
    )
    return text + (f"# {table.signature}\n" if table.signature else "")
