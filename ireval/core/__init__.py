"""Columns -> rankings with judgements -> scores. Imports numpy and errors, nothing else of ireval."""
