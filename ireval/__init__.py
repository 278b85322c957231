"""ireval: evaluate search engines. Everything public is in `ireval.api` and resolved on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ireval.api import (
        RelevanceEvaluator,
        Results,
        compute_aggregated_measure,
        evaluate,
        med,
        parse_qrel,
        parse_run,
        read_qrels,
        read_run,
        read_scores,
        sigtest,
        supported_measures,
        supported_nicknames,
    )
    from ireval.beyond import evaluate_answers, evaluate_sessions, evaluate_texts
    from ireval.errors import DataError, InputError, IrevalError, MeasureError, UsageError
    from ireval.metaeval import agree, concordance, correlate, discrim, loo

__all__ = [
    "DataError",
    "InputError",
    "IrevalError",
    "MeasureError",
    "RelevanceEvaluator",
    "Results",
    "UsageError",
    "__version__",
    "agree",
    "compute_aggregated_measure",
    "concordance",
    "correlate",
    "discrim",
    "evaluate",
    "evaluate_answers",
    "evaluate_sessions",
    "evaluate_texts",
    "loo",
    "med",
    "parse_qrel",
    "parse_run",
    "read_qrels",
    "read_run",
    "read_scores",
    "sigtest",
    "supported_measures",
    "supported_nicknames",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ireval' has no attribute '{name}'")
    from importlib import import_module

    home = "ireval.errors" if name.endswith("Error") else "ireval.api"
    if name in ("evaluate_answers", "evaluate_sessions", "evaluate_texts"):
        home = "ireval.beyond"
    if name in ("agree", "concordance", "correlate", "discrim", "loo"):
        home = "ireval.metaeval"
    return getattr(import_module(home), name)
