"""Numbers about numbers: resampling and tests. Imports numpy, and scipy inside functions."""
