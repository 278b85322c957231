"""Work one step ahead: the next item is made in a second thread while the caller is busy with the last one.

numpy lets other threads run while it computes, so reading and scoring a run go on side by side.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class OneAhead(Generic[T]):
    """An iterator over the same items. The work begins at once; an exception comes up where its item would have."""

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items
        self._asked = threading.Semaphore(1)  # the worker may be one item ahead, not more
        self._made = threading.Semaphore(0)
        self._item: T | None = None
        self._error: BaseException | None = None
        self._stopped = False
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        try:
            while True:
                self._asked.acquire()
                if self._stopped:
                    return
                self._item = next(self._items)
                self._made.release()
        except BaseException as error:  # StopIteration among them: the caller's __next__ raises it
            self._error = error
            self._made.release()

    def __iter__(self) -> OneAhead[T]:
        return self

    def __next__(self) -> T:
        self._made.acquire()
        if self._error is not None:
            self._made.release()
            raise self._error
        item, self._item = self._item, None
        self._asked.release()
        return item  # type: ignore[return-value]

    def close(self) -> None:
        """Nothing more is wanted: let the worker go."""
        self._stopped = True
        self._asked.release()
