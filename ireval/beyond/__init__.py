"""The verbs beyond the ranked list: sessions, answers, summaries. Read, joined and scored here, printed by commands.

import ireval
ireval.evaluate_sessions("qrels", "a.sessions", ["nsDCG@10"]).summary()
ireval.evaluate_answers("nuggets", ["a.matches", "b.matches"], ["S#"]).per_topic("a")
ireval.evaluate_texts("a.tsv", ["reference.tsv"], ["ROUGE-2"]).summary()
"""

from ireval.beyond.answers import evaluate_answers
from ireval.beyond.sessions import evaluate_sessions
from ireval.beyond.texts import evaluate_texts

__all__ = ["evaluate_answers", "evaluate_sessions", "evaluate_texts"]
