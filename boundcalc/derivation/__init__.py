"""Closed forms: errors, gains and resources of a term."""
