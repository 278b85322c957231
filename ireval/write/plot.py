"""Pictures, by matplotlib (the extra `plot`). One drawing a file in `plot_*.py`; this is the paper and the frame."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ireval.errors import UsageError, printable
from ireval.write.output import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")


def check_plot(path: str | None) -> None:
    """Refuse a picture that could not be drawn, before any work is done."""
    if path is None:
        return
    if os.path.splitext(path)[1].lower() not in SUFFIXES:
        raise UsageError(f"--plot: expected a file ending in {', '.join(SUFFIXES)}, found {printable(path)}")
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise UsageError("--plot needs matplotlib, which is not installed: pip install 'ireval-cli[plot]'")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise UsageError(f"--plot: {printable(path)} cannot be written: no such folder, or no permission")


def new_figure(width: float = 6.4, height: float = 4.8) -> Figure:
    """An empty figure in inches. It belongs to no window system."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: str) -> None:
    """Write the picture, whole or not at all; the same bytes each time."""
    import io

    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "ireval"
    suffix = os.path.splitext(path)[1].lower()
    dateless = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    out = io.BytesIO()
    figure.savefig(out, format=suffix[1:], dpi=150, metadata=dateless)
    write_whole(path, out.getvalue())
