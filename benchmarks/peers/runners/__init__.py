"""One small script a system, run in that system's own environment; see `serving.py` for what they speak."""
