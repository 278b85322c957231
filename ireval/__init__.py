"""ireval: evaluate search engines. Everything public is resolved on first use."""

from __future__ import annotations

__version__ = "0.1.0"
