"""JSON: the whole document at once, or one object a row. Numbers keep full precision."""

from __future__ import annotations

import json

from ireval.write.delimited import flat
from ireval.write.table import Table


def write_json(table: Table) -> str:
    """The table's document."""
    return json.dumps(table.document, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace").decode() + "\n"


def write_jsonl(table: Table) -> str:
    """One object for each row; a signature follows as an object of its own."""
    names, rows = flat(table)
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    if table.signature:
        objects.append({"signature": table.signature})
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    return text.encode("utf-8", "backslashreplace").decode()
