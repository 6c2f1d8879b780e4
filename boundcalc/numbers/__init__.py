"""Exact rationals, directed decimals, kinds of arithmetic."""
