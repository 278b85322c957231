"""Bytes -> columns. Knows files and formats; knows nothing of measures."""
