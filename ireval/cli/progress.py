"""A bar on stderr for work that takes more than a second; nothing where stderr is not a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0


class Progress:
    """Counts finished pieces of work and shows a bar once a second has gone by."""

    def __init__(self, total: int | None, what: str, quiet: bool = False) -> None:
        """total: None where nobody knows how many pieces there are."""
        self._total, self._what, self._done = total, what, 0.0
        self._wanted = sys.stderr.isatty() and not quiet
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def update(self, done: float, detail: str = "", total: int | None = None) -> None:
        """So many pieces are finished; detail is what is being worked on; total, where it turns out to be another."""
        self._done = done
        self._total = total or self._total
        if self._bar is None and self._wanted and time.monotonic() - self._start > PATIENCE:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=self._total)
        if self._bar is not None:
            self._bar.update(
                self._task, total=self._total, completed=self._done, description=f"{self._what} {detail}".strip()
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
