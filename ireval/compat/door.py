"""What every door shares: how it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ireval.errors import IrevalError, os_reason


class DoorError(Exception):
    """Ends the program with a message and the tool's exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def through(door: Callable[[], int], failure: int) -> int:
    """Run a door; the exit status. failure: the status of what the door itself says nothing about."""
    try:
        return door()
    except DoorError as error:
        sys.stderr.write(str(error))
        return error.status
    except IrevalError as error:
        sys.stderr.write(f"ireval: {error}\n")
        return failure
    except OSError as error:
        sys.stderr.write(f"ireval: cannot write the results: {os_reason(error)}\n")
        return failure
    except KeyboardInterrupt:
        return 130
