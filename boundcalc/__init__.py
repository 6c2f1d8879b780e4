"""boundcalc: exact symbolic bounds for explicit softmax attention networks."""
