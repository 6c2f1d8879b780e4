"""Hostile claim texts: pieces of the grammar thrown together, claims with letters changed, deep nesting, odd letters.

`python -m tests.claims.hostile 1000000` reads so many of them: nothing runs, nothing takes a second, and what is refused is
refused with a place and a reason. tests/claims/test_fuzz.py has a sample.
"""

from __future__ import annotations

import random
import re
import sys
import time

from boundcalc.claims.check import read_all
from boundcalc.claims.model import Claim
from boundcalc.errors import InvalidInput

SECOND = 1.0
PIECES = [
    "x", "y", "n", "m", "eps", "beta", "delta", "C", "C_silu", "e", "pi", "inf", "x_1", "x1", "max", "min", "abs", "exp",
    "log", "ln", "W", "sqrt", "tanh", "sigma", "relu", "erf", "floor", "ceil", "sum", "product", "binomial", "factorial",
    "sin", "cos", "mult", "softmax", "lipschitz", "heads", "error", "route", "gate", "tree", "silu", "direct", "recipe",
    "exists", "independent", "for", "as", "in", "real", "integer", "O", "o", "Theta", "Omega", "->", "→", "+", "-", "*",
    "/", "**", "^", "(", ")", "[", "]", "{", "}", ",", ".", ":", "<=", "<", ">=", ">", "==", "=", "!=", "!", "≤", "≥",
    "−", "·", "×", "√", "|", "⌈", "⌉", "⌊", "⌋", "½", "²", "₁", "β", "ε", "δ", "0", "1", "2", "10", "1/2", "0.1", "1e5",
    "1e-300", "9999999999999999999", "1e999999999", ".5", "3.", "19m", "2(", " ", "\n", "\t", "'", '"', ";", "#", "$",
    "%", "@", "\\", "_", "__class__", "__import__", "os", "system", "lambda", "eval", "import", "\\frac", "\\sqrt",
    "\\log", "\\le", "\\max", "\\sum", "\\left", "\\right", "\\binom", "\\input", "\\def", "\\text", "\x00", "\u200b",
    "٣", "𝑥", "\ufeff"]
SEEDS = ["exp(x) >= 1 + x", "sum(1/k, k, 1, n) <= 1 + log(n)", "mult[route=recipe, gate=silu].heads <= 2*(m + 1)",
         "max.heads = O(1) as n -> inf", "exists K: x <= K*y", "independent(max[route=direct].heads, n)",
         r"\frac{\ln(n-1)-\ln\varepsilon}{\delta} \le \beta", "softmax.lipschitz(inf, inf) <= 1", "0 <= x*(1 - x) <= 1/4",
         "x**y**z >= binomial(n, k)", "⌈x⌉ ≤ x + 1", "19m + 2(m + 1) <= 21(m + 1)", "floor(2*x) <= 2*floor(x) + 1"]
CONDITIONS = ["x in [-1, 1]", "0 < eps <= 1/2", "n in {2, 3}", "x real", "p integer", "n >= 2, beta > 0", "x == 1/3"]
TOWERS = [
    "9**9**9", "(9**9)**9**9", "2**(2**(2**(2**2)))", "exp(exp(exp(exp(9))))", "x**999999999", "1e99999",
    "0.1**(10**10)", "factorial(10**9)", "binomial(10**9, 10**8)", "sum(k, k, 1, 10**12)", "product(k, k, 1, 10**9)",
    "floor(10**9999)", "W(10**10**10)", "sqrt(-1)", "1/0", "log(0)", "0**(-1)", "x**(1/999999999)",
    "sum(sum(k, k, 1, n), n, 1, 10**6)"]


def text(seed: int) -> str:
    dice = random.Random(f"hostile {seed}")
    kind = dice.random()
    if kind < 0.3:
        return dice.choice(["", " "]).join(dice.choice(PIECES) for _ in range(dice.randint(1, 25)))
    if kind < 0.6:
        return _changed(dice.choice(SEEDS), dice)
    if kind < 0.7:
        return f"{dice.choice(TOWERS)} {dice.choice(['<=', '>=', '==', '<'])} {dice.choice([*TOWERS, 'x', '1'])}"
    if kind < 0.8:
        depth = dice.choice([3, 30, 300, 3000])
        return _nested(depth, dice)
    if kind < 0.9:
        return "".join(chr(dice.choice([dice.randint(0, 127), dice.randint(0, 0x24ff), dice.randint(0, 0xd7ff)]))
                       for _ in range(dice.randint(0, 60)))
    return f"{dice.choice(SEEDS)} for {_changed(dice.choice(CONDITIONS), dice)}"


def _changed(original: str, dice: random.Random) -> str:
    letters = list(original)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(letters) + 1)
        match dice.randrange(3):
            case 0:
                letters.insert(place, dice.choice(PIECES))
            case 1 if letters:
                del letters[min(place, len(letters) - 1)]
            case _ if letters:
                letters[min(place, len(letters) - 1)] = dice.choice(PIECES)
    return "".join(letters)


def _nested(depth: int, dice: random.Random) -> str:
    opening, closing = dice.choice([
        ("(", ")"), ("-", ""), ("exp(", ")"), ("max(x, ", ")"), ("x**", ""), ("1/(1+", ")"), ("[", "]"), ("{", "}"),
        (r"\frac{", "}{2}"), ("x+", ""), ("abs(", ""), ("sum(k, k, 1, ", ")"), ("|", "|")])
    return f"{opening * depth}x{closing * depth} <= 1"


def problem(seed: int) -> str:
    """What is wrong with the answer to a text; nothing if it is understood, or refused as it should be."""
    written = text(seed)
    start = time.process_time()
    try:
        read_all([Claim(written, "c")])
    except InvalidInput as refused:
        if not re.match(r"(claim|for), column [0-9]+: .+", refused.problem) or not refused.remedy.strip():
            return f"{seed}: {written[:80]!r}: {refused.problem[:200]!r}"
    except Exception as crash:
        return f"{seed}: {written[:80]!r}: {type(crash).__name__}: {crash}"
    used = time.process_time() - start
    return f"{seed}: {written[:80]!r}: {used:.1f} s" if used > SECOND else ""


def main(count: int, first: int = 0) -> int:
    found = 0
    for seed in range(first, first + count):
        said = problem(seed)
        if said:
            found += 1
            print(said, flush=True)
    print(f"{count} texts, {found} answers that are wrong")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
