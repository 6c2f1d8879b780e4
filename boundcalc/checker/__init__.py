"""Decides proof objects: `check` in statements.py is the only door. Nothing here imports the rest of the project."""
