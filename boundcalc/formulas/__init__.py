"""Symbols, expressions and what is known about them."""
