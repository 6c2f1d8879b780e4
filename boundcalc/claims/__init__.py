"""Claims: read, decided by the checker, reported."""

from ..lemmas import chords as chords  # gives its step h a kind before a claim mentions that letter
