"""Concrete networks with exact weights, and their files."""
