"""python -m boundcalc."""

from .cli.main import main

main()
