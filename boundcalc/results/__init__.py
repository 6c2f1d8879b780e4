"""Bounds and reports: what verification, claims and output may read."""
