"""Which door: our commands, or a tool that we stand in for. Imports nothing that the door does not need."""

from __future__ import annotations

import os
import sys

COMMANDS = (
    "eval",
    "sigtest",
    "discrim",
    "concordance",
    "loo",
    "correlate",
    "agree",
    "med",
    "session",
    "answers",
    "rouge",
    "measures",
)
"""Our own subcommands."""

DOORS = ("trec_eval", "ntcir_eval", "ndeval", "gdeval")
"""Tools with a door of their own, reached by subcommand or by a link of that name."""

LINKS = {"gdeval.pl": "gdeval"}
"""Further names that a link may have."""


def main() -> int:
    """Run the program; the exit status. The first argument decides, or the name the program was called by."""
    called, argv = os.path.basename(sys.argv[0]), sys.argv[1:]
    called = LINKS.get(called, called)
    if called in DOORS:
        return _door(called, argv)
    if argv and argv[0] in DOORS:
        return _door(argv[0], argv[1:])
    if not argv or argv[0] in ("--help", "--version") or argv[0] in COMMANDS:
        from ireval.cli.main import run

        return run(argv)
    return _door("trec_eval", argv)


def _door(name: str, argv: list[str]) -> int:
    from importlib import import_module

    status: int = import_module(f"ireval.compat.{name}").main(argv)
    return status


if __name__ == "__main__":
    sys.exit(main())
