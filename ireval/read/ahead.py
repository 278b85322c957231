"""Work a few steps ahead: the next items are made in a second thread while the caller is busy with the last one.

numpy lets other threads run while it computes, so reading and scoring a run go on side by side.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

STEPS = 4
"""Items that may wait for the caller: enough to go on reading while a batch of topics is scored."""


class Ahead(Generic[T]):
    """An iterator over the same items. The work begins at once; an exception comes up where its item would have."""

    def __init__(self, items: Iterator[T], steps: int = STEPS) -> None:
        self._items = items
        self._room = threading.Semaphore(steps)
        self._made = threading.Semaphore(0)
        self._waiting: deque[T] = deque()
        self._error: BaseException | None = None
        self._stopped = False
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        try:
            while True:
                self._room.acquire()
                if self._stopped:
                    return
                self._waiting.append(next(self._items))
                self._made.release()
        except BaseException as error:  # StopIteration among them: the caller's __next__ raises it
            self._error = error
            self._made.release()

    def __iter__(self) -> Ahead[T]:
        return self

    def __next__(self) -> T:
        self._made.acquire()
        if not self._waiting:
            self._made.release()
            assert self._error is not None
            raise self._error
        item = self._waiting.popleft()
        self._room.release()
        return item

    def close(self) -> None:
        """Nothing more is wanted: let the worker go."""
        self._stopped = True
        self._room.release()
