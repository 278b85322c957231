"""Where numbers come from: the signature, and the head that every JSON document of ours has."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ireval import __version__

if TYPE_CHECKING:
    from ireval.read.source import Source


def signature(parts: Iterable[str]) -> str:
    """`AP|rel:1|n:50|ireval:0.1.0`."""
    return "|".join([*parts, f"ireval:{__version__}"])


def command_line() -> str:
    """The command as it was called."""
    import shlex

    return shlex.join(["ireval", *sys.argv[1:]])


def document(signature_text: str, inputs: Sequence[Source], **content: Any) -> dict[str, Any]:
    """A JSON document: signature, version, command, inputs with their digests, then the content."""
    return {
        "signature": signature_text,
        "version": __version__,
        "command": command_line(),
        "inputs": [{"file": source.name, "sha256": source.digest()} for source in inputs],
        **content,
    }
