"""A proof object in a few sentences. Untrusted: it reads the object and the goals that the checker met."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Expr

from ..claims.language import claim_symbol
from ..claims.trace import C_SILU, MetGoal, Steps, deciding, formula, typed_labels
from ..formulas import symbols
from ..formulas.notation import to_unicode
from .document import Line, Math, Span
from .statements import expression

if TYPE_CHECKING:
    from ..claims.model import Finding

MOST = 6                # sentences
LONGEST = 90            # characters of a formula that is shown
SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "==": "=", "=": "=", "!=": "≠"}
ROWS = {"upper": "≤", "lower": "≥", "equal": "="}
TURNED = {"≤": "≥", "≥": "≤", "<": ">", ">": "<", "=": "="}
COUNTED = {"heads": "head", "layers": "layer", "tokens": "token", "neurons": "ReLU unit", "relu_layers": "ReLU layer",
           "heads_per_layer": "head per layer", "parameters": "parameter"}
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
Sentence = Line


def argument(f: Finding) -> str:
    """What the object does, in words, with the names of claims: what is printed can be pasted."""
    return flat(_told(f, {}))


def argument_line(f: Finding) -> Line:
    """The same with formulas between the words, set as the reports set them."""
    return _told(f, {C_SILU: expression(symbols.C, f.reading) or symbols.C})


def _told(f: Finding, ours: Mapping[Expr, Expr]) -> Line:
    """At most six sentences."""
    found = list(dict.fromkeys(s for part in f.parts or (f,) for s in _sentences(part)))
    if len(found) > MOST:
        left = len(found) - MOST + 1
        found = [*found[:MOST - 1], (f"{_number(left).capitalize()} further steps of these kinds follow.",)]
    return tuple(Math(tuple(part if isinstance(part, str) else symbols.exchange(part, ours) for part in span.parts))
                 if isinstance(span, Math) else span for k, s in enumerate(found) for span in ((" ", *s) if k else s))


def flat(line: Line) -> str:
    """A line as text."""
    return "".join(_flat(span) for span in line)


def _flat(span: Span) -> str:
    if isinstance(span, str):
        return span
    if isinstance(span, Math):
        return " ".join(part if isinstance(part, str) else to_unicode(part) for part in span.parts)
    return str(getattr(span, "text", "")) or str(getattr(span, "word", ""))


def _sentences(f: Finding) -> list[Sentence]:
    return list(_Telling(f).all()) if f.proof is not None else []


# --- formulas ---------------------------------------------------------------------------------------------------------

def shown(t: Any, most: int = LONGEST) -> Expr | None:
    """A term, if it can be printed and is short."""
    try:
        expr = sp.sympify(formula(t), strict=True)        # text is never evaluated
        return expr if len(to_unicode(expr)) <= most else None
    except Exception:                       # whatever cannot be printed is left out
        return None


def point(values: Iterable[tuple[str, Any]]) -> Line:
    """x = 1, y = 2."""
    found: list[Span] = []
    for name, value in values:
        expr = shown(str(value), 40)
        right: tuple[Expr | str, ...] = (expr,) if expr is not None else (_large(str(value)),)
        found += [", "] if found else []
        found.append(Math((claim_symbol(name), "=", *right)))
    return tuple(found)


def _large(text: str) -> str:
    sign, digits = ("−", text[1:]) if text.startswith("-") else ("", text)
    if re.fullmatch("10+", digits):
        return f"{sign}10^{len(digits) - 1}"
    return f"{sign}{digits[:10]}… ({len(digits)} digits)" if digits.isdigit() else f"{text[:30]}…"


def _number(n: int) -> str:
    return SMALL[n] if 0 <= n < len(SMALL) else str(n)


def relation(text: str) -> Line:
    """A condition in plain grammar as a formula."""
    match = re.fullmatch(r"(.+?)\s*(<=|>=|==|<|>)\s*(.+)", text)
    if match is None:
        return (text,)
    left, right = shown(match[1]), shown(match[3])
    return (Math((left, SIGNS[match[2]], right)),) if left is not None and right is not None else (text,)


# --- telling ----------------------------------------------------------------------------------------------------------

class _Telling:
    def __init__(self, f: Finding) -> None:
        assert f.proof is not None
        self.f, self.body = f, f.proof["proof"]
        self.rows = {r["id"]: r for r in f.proof.get("axioms") or ()}
        self.steps = Steps(f.proof)
        self.typed = typed_labels(f.reading)
        self.said: Expr | None = None
        self.last = False           # of equal objects the one that was met last is told

    def all(self) -> Iterator[Sentence]:
        f, body = self.f, self.body
        if f.verdict == "vacuous":
            yield from self.vacuous()
            return
        yield from self.facts(deciding(body))
        if f.verdict == "refuted":
            yield from self.refuted()
        elif f.verdict == "conditional":
            condition = relation(body["condition"])
            for name, words in (("inside", ("If ", *condition, ": ")), ("outside", ("Otherwise: ",))):
                self.last = name == "outside"       # whose objects may look like those inside; their goals differ
                yield from self.under(words, self.cases(body.get(name) or ()), name == "inside")
        elif "constant" in body:
            yield (Math((self.constant(), "=", shown(body["constant"]) or body["constant"])), " will do.")
            yield from self.cases(body["cases"])
        elif "approach" in body:
            yield from self.growth()
        elif "first" in body:
            if not self.rows or not self.body["cases"] or self.body["cases"][0].get("p", {}).get("r") != "zero":
                yield from self.cases(body["cases"])
            else:
                x = re.search(r",\s*(\w+)\s*\)\s*(?:for\b.*)?$", f.proof["claim"] if f.proof else "")
                yield ("The formula does not contain ", Math((claim_symbol(x[1] if x else "x"),)), ".")
        else:
            yield from self.cases(body.get("cases") or ())

    def constant(self) -> sp.Symbol:
        match = re.match(r"\s*exists\s+(\w+)", self.f.proof["claim"] if self.f.proof else "")
        return claim_symbol(match[1] if match else "C")

    # what is known about the quantities

    def facts(self, ids: Sequence[str]) -> Iterator[Sentence]:
        rows = [self.rows[i] for i in ids if i in self.rows and self.rows[i]["kind"] in ROWS]
        rows = [r for r in rows if not r.get("constant")]
        rows = [r for r in rows if self.is_used(r)] or rows
        if self.f.verdict == "refuted" and self.f.proof is not None:
            rows = [r for r in rows if r["kind"] != self.idle(r["label"])] or rows
        for r in rows[:2]:
            yield self.fact(r)
        if any(self.rows[i]["kind"] == "network" for i in ids if i in self.rows):
            row = next(self.rows[i] for i in ids if i in self.rows and self.rows[i]["kind"] == "network")
            where = [relation(c.strip()) for c in str(row.get("where", "")).split(",") if c.strip()]
            at = tuple(span for k, c in enumerate(where) for span in ((", ", *c) if k else c))
            yield ("The network itself, exported with ", *at, ", is counted and evaluated.")

    def is_used(self, r: dict[str, Any]) -> bool:
        """Whether the difference between the formula of a row and its quantity is a term of a sum."""
        value = shown(r["formula"], 1000)
        label = sp.Symbol(str(r["label"]), real=True)
        for step in self.steps.found:
            for item in step.node.get("terms") or ():
                for x in item[1:]:
                    if value is None or str(r["label"]) not in str(x):
                        continue
                    factor = shown(x[0] if isinstance(x, list) else x, 1000)
                    if factor is not None and 0 in (sp.expand(factor + label - value), sp.expand(factor - label + value)):
                        return True
        return False

    def idle(self, label: str) -> str:
        """The direction of bounds on a quantity that says nothing against the claim."""
        claim = self.f.proof["claim"] if self.f.proof else ""
        match = re.search(r"<=|>=|==|<|>", claim)
        if match is None or match[0] == "==":
            return ""
        first = _squeezed(claim[:match.start()]).find(_squeezed(label)) >= 0
        options = label.find("[")
        if options > 0 and not first:           # options may stand in another order
            first = claim[:match.start()].find(label[:options]) >= 0
        small = match[0] in ("<=", "<")
        return "upper" if first == small else "lower"

    def fact(self, r: dict[str, Any]) -> Sentence:
        value = shown(r["formula"], 120)
        label = sp.Symbol(self.typed.get(str(r["label"]), str(r["label"])), real=True)
        sign = ROWS[r["kind"]]
        lemma = str(r.get("lemma") or "")
        if value is None:
            return (f"A bound of {label} by a formula too long to print is used.",)
        if r.get("needed") and r["kind"] == "upper":
            count = COUNTED.get(str(r["quantity"]))
            if count and value.is_Integer:
                return (f"{enough(int(value), count).capitalize()}: {lemma} has no more.",)
            return (f"The network {lemma} shows that ", Math((label, sign, value)), ".")
        if re.fullmatch(r"[A-Z]{1,2}[0-9]+", lemma):
            return (f"By lemma {lemma}, ", Math((label, sign, value)), ".")
        if "[" in lemma or lemma in ("", str(r["network"])):
            behind = re.search(r"\((.*)\)$", lemma)
            because = f", since {behind[1]}" if behind else ""
            return (Math((label, sign, value)), f"{because}, by construction." if not because else f"{because}.")
        return (f"By the {lemma}, ", Math((label, sign, value)), ".")

    # refutations

    def refuted(self) -> Iterator[Sentence]:
        body, w = self.body, self.f.witness
        if "point" in body and "x" not in body:
            at = point((x, v) for x, v in body["point"].items())
            if w is not None:
                note = () if w.exact[0] and w.exact[1] else (" (by enclosures)",)
                kinds = {r["kind"] for r in self.rows.values()}
                bound = "" if not self.rows or kinds & {"equal", "network"} else \
                    "at least " if w.relation in (">", ">=") else "at most "
                yield ("At ", *at, f" the left side is {bound}", *_value(w.left), " and the right side ", *_value(w.right),
                       *note, ".")
            else:
                yield ("At ", *at, " both sides are defined and the relation fails.")
        elif "parts" in body:
            yield from self.for_every_constant()
        elif "first" in body:
            yield ("At ", *point(body["first"]["point"].items()), " and at ", *point(body["second"]["point"].items()),
                   " the values differ.")
        elif "x" in body:
            yield from self.along_a_path()
        elif "root" in body:
            yield ("Both sides are equal at a point between ", " and ".join(map(str, body.get("between", ()))), ".")

    def for_every_constant(self) -> Iterator[Sentence]:
        name = self.constant()
        cuts = [shown(c) or c for c in self.body["cuts"]]
        for k, part in enumerate(self.body["parts"]):
            where: Line = ("For every ", Math((name,))) if not cuts else \
                ("For ", Math((name, "≤", cuts[k]))) if k < len(cuts) else ("For ", Math((name, ">", cuts[-1])))
            at = [(x, v) for x, v in part["at"].items()]
            yield (*where, " the relation fails at ", *point(at), ".") if at else (*where, " the relation fails.")

    def along_a_path(self) -> Iterator[Sentence]:
        body, claim = self.body, self.f.proof["claim"] if self.f.proof else ""
        match = re.search(r"as\s+(\w+)\s*->\s*(\S+)", claim)
        x = claim_symbol(match[1] if match else "x")
        path, v = shown(body["x"]), shown(body.get("v", "1"))
        others = point((y, z) for y, z in (body.get("point") or {}).items())
        along: Line = () if str(body["x"]) == "t" else \
            ("Along ", Math((x, "=", path if path is not None else str(body["x"]))))
        with_ = (" with ", *others) if others else ()
        t = claim_symbol("t") if along else x
        start = shown(body["t0"]) or body["t0"]
        from_: Line = (*along, *with_, ", ") if along else ("With ", *others, ", ") if others else ()
        kind = {"O": "right", "o": "right", "Omega": "left"}[body["what"]]
        other = "left" if kind == "right" else "right"
        if body["what"] == "o":
            yield (*from_, "the left side stays above a fixed multiple of the right side, for ", Math((t, "≥", start)), ".")
            return
        shrinks = exchange(v, "t", t) if v is not None else None
        times: Line = (" times a factor that tends to 0",) if shrinks is None else \
            (" times ", Math((shrinks,)), ", which tends to 0")
        the = "the" if from_ else "The"
        yield (*from_, f"{the} {kind} side is at most the {other} side", *times, ", for all ", Math((t, "≥", start)), ".")
        yield ("So no constant factor will do.",)

    # growth

    def growth(self) -> Iterator[Sentence]:
        claim = self.f.proof["claim"] if self.f.proof else ""
        match = re.search(r"as\s+(\w+)\s*->", claim)
        x = claim_symbol(match[1] if match else "x")
        for case in self.body["cases"]:
            for side, part in case.items():
                if side not in ("+", "-"):
                    continue
                for what, p in part.items():
                    k, start = shown(p["K"]), shown(p["from"])
                    infinite = "inf" in claim.rsplit("->", 1)[-1]
                    sign = "≥" if infinite or side == "-" else "≤"
                    small, large = ("|left|", "|right|") if what == "upper" else ("|right|", "|left|")
                    v = shown(p["v"]) if "v" in p else None
                    factor: Line = ("a constant times ",) if k is None else \
                        () if k == 1 and v is None else (Math((k,)), " times ")
                    factor = (*factor, Math((v,)), " (which tends to 0) times ") if v is not None else factor
                    yield ("For ", Math((x, sign, start if start is not None else p["from"])),
                           f", {small} is at most ", *factor, f"{large}.")
                    yield from self.node(p.get("p"))

    # proofs

    def vacuous(self) -> Iterator[Sentence]:
        reason = "".join(str(x) for x in self.f.reason)
        yield (f"{reason[:1].upper()}{reason[1:]}.",)
        if self.body.get("why") == "constant":
            row = next((r for r in self.rows.values() if r.get("constant")), None)
            value = shown(row["formula"]) if row else None
            if row is not None and value is not None:
                yield ("The error of a network that returns 0 is at most ", Math((value,)), ".")
            proof = self.body["constant"]
            if "constant" in proof:
                value = shown(proof["constant"])
                yield ("Already then ", Math((self.constant(), "=", value if value is not None else str(proof["constant"]))),
                       " will do.")

    def cases(self, cases: Sequence[dict[str, Any]]) -> Iterator[Sentence]:
        for case in cases:
            if isinstance(case, dict) and case.get("p") is not None:
                yield from self.node(case["p"])

    def under(self, words: Line, sentences: Iterator[Sentence], first: bool) -> Iterator[Sentence]:
        found = list(sentences)[:2] or [("It holds." if first else "it fails.",)]
        head = found[0]
        lower = (str(head[0])[:1].lower() + str(head[0])[1:], *head[1:]) if head and isinstance(head[0], str) and not \
            str(head[0]).startswith(("W ", "By lemma")) else head
        if not first:
            lower = tuple(x.replace("the claim is", "its negation is") if isinstance(x, str) else x for x in lower)
        yield (*words, *lower)
        yield from found[1:]

    def node(self, node: Any) -> Iterator[Sentence]:
        """One sentence a node; what merely rewrites says nothing."""
        if not isinstance(node, dict):
            return
        step = self.steps.of(node) or self.steps.root(node, self.last)
        if step is None:
            return
        node = step.node
        match node.get("r"):
            case "range":
                yield self.by_range(step)
            case "zero":
                yield ("Both sides are equal, as expanding them shows.",)
            case "both":
                yield from self.node(node["p"][0])
                yield ("The opposite inequality holds likewise.",)
            case "scale":
                yield from self.by_scale(step)
            case "relax":
                yield from self.node(node["p"])
            case "sum":
                yield from self.by_sum(step)
            case "have":
                yield from self.by_have(step)
            case "mono":
                yield from self.by_mono(step)
            case "split":
                yield from self.by_split(step)
            case "case":
                yield from self.by_case(step)
            case "apply":
                yield ({"log": "Take logarithms of both sides.", "exp": "Take exponentials of both sides.",
                        "square": "Square both sides.", "W": "W increases, so W(u) ≤ r says u ≤ r·e^r."}[node["fn"]],)
                yield from self.node(node["p"])
            case "subst":
                yield from self.by_subst(step)
            case "slack":
                yield from self.by_slack(step)
            case "step":
                yield from self.by_step(step)
            case "name":
                u = shown(node["u"])
                y = claim_symbol(_name(node["as"]))
                if u is not None:
                    yield ("Let ", Math((y, "=", sp.floor(u, evaluate=False))), ", so ", Math((y, "≤", u, "<", y + 1)), ".")
                yield from self.node(node["p"])
            case "whole":
                yield ("Both sides are whole numbers, so they may miss each other by anything less than 1.",)
                yield from self.node(node["p"])
            case "absurd":
                yield ("That case cannot occur.",)

    def by_scale(self, step: MetGoal) -> Iterator[Sentence]:
        """What is said of the product with a positive factor is said as such."""
        by = shown(step.node.get("by", "1"), 50)
        for s in self.node(step.node["p"]):
            if by is not None and s[:1] == ("The difference, times ",) and isinstance(s[1], Math):
                yield (s[0], Math((sp.sympify(by * s[1].parts[0], strict=True),)), *s[2:])
            elif by == 1 or not (s and isinstance(s[0], str) and s[0].startswith("The difference")):
                yield s
            elif by is None:
                yield (f"A positive multiple of the difference{s[0].removeprefix('The difference')}", *s[1:])
            else:
                yield ("The difference, times ", Math((by,)), f",{s[0].removeprefix('The difference')}", *s[1:])

    def by_range(self, step: MetGoal) -> Sentence:
        value = shown(step.goal, 50)
        if value is not None and value.is_number:
            return ("What is left is ", Math((value, SIGNS[step.relation], sp.S.Zero)), ".")
        if value is not None and not any("." in s.name for s in value.free_symbols):
            return ("By interval arithmetic ", Math((value, SIGNS[step.relation], sp.S.Zero)), ".")
        if self.rows:
            return ("With this in place of the quantity, interval arithmetic shows the claim.",)
        return ("Interval arithmetic shows the claim.",)

    def by_sum(self, step: MetGoal) -> Iterator[Sentence]:
        terms = step.node["terms"]
        if any("." in name for t in terms for x in t[1:] for name in _names_of(x)):
            return                      # right − left = (bound − quantity) + (right − bound): told by what is known
        found: list[str | Expr] = []
        for item in terms:
            parts = [shown(x[0] if isinstance(x, list) else x) for x in item[1:]]
            if any(p is None for p in parts):
                break
            product = sp.Mul(sp.Rational(str(item[0])), *(sp.Pow(p, 2, evaluate=False) if isinstance(x, list) else p
                                                           for p, x in zip(parts, item[1:], strict=True)), evaluate=False)
            found += ["+", product] if found else [product]
        else:
            kind = "which is not negative" if len(terms) == 1 else "a sum of nonnegative terms"
            by = shown(step.node.get("by", "1"))
            if found and sum(len(x if isinstance(x, str) else to_unicode(x)) for x in found) <= LONGEST and by is not None:
                times: Line = () if by == 1 else (", times ", Math((by,)), ",")
                yield ("The difference", *times, " is ", Math(tuple(found)), f", {kind}.")
                return
        yield ("The difference is a sum of nonnegative terms.",)

    def by_have(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        quantities = isinstance(node["p"], dict) and node["p"].get("r") == "sum" and any(
            "." in name for t in node["p"]["terms"] for x in t[1:] for name in _names_of(x))
        t = shown(node["t"])
        sign = ">" if node.get("strict") else "≥"
        if t is not None and t.is_number:
            if not quantities:
                yield from self.node(node["p"])
            return                          # 3 − 1 ≥ 0 needs no sentence
        inner = node["fact"]
        while isinstance(inner, dict) and inner.get("r") in ("relax", "scale", "have"):
            inner = inner.get("p") if inner["r"] != "have" else inner["fact"]
        plainly = isinstance(inner, dict) and inner.get("r") in ("range", "sum")
        if t is not None and t != self.said:
            end = ", which holds." if plainly else "."
            yield ("It is enough that " if quantities else "First, ", Math((t, sign, sp.S.Zero)), end)
        self.said = t
        if not plainly:
            yield from self.node(node["fact"])
        if not quantities:
            yield from self.node(node["p"])

    def by_mono(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        x = claim_symbol(_name(node["x"]))
        grows = "grows" if node["up"] else "falls"
        slope, end = self.steps.of(node.get("slope")), self.steps.of(node.get("end"))
        because: Line = ()
        if slope is not None:
            value = shown(slope.goal, 60)
            if value is not None:
                value = sp.factor(value) if value.is_polynomial() else value
                derivative = value if node["up"] else -value
                because = (" (its derivative is ", Math((derivative,)), ")")
        r = step.domain.box.get(node["x"])
        last = getattr(r, "lo" if node["up"] else "hi", None)
        if last is None:
            yield (f"The difference {grows} with ", Math((x,)), *because, ", and its limit is not negative.")
        else:
            place = sp.Rational(int(last.p), int(last.q))
            value = shown(end.goal, 60) if end is not None else None
            value = sp.simplify(value) if value is not None and value.is_number and sp.count_ops(value) < 12 else value
            where: Line = (", where it is ", Math((value,))) if value is not None else ()
            yield (f"The difference {grows} with ", Math((x,)), *because, ", so it is least at ", Math((x, "=", place)),
                   *where, ".")
        told = slope is not None and _deepest(node.get("slope")) not in ("range",)
        if told:
            for s in self.node(node["slope"]):
                yield _renamed(s, "The difference", "The derivative" if node["up"] else "Minus the derivative")
        if end is not None and _deepest(node.get("end")) not in ("range", "zero"):
            yield from self.node(node["end"])

    def by_split(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        x = claim_symbol(_name(node["x"]))
        cuts = [shown(c) or c for c in node["at"]]
        leaves = {p.get("r") for p in node["p"] if isinstance(p, dict)}
        if leaves <= {"range", "split"} or len(cuts) > 2:
            at = tuple(span for k, c in enumerate(cuts[:3]) for span in ((", ", Math((c,))) if k else (Math((c,)),)))
            more = ", …" if len(cuts) > 3 else ""
            yield ("The range of ", Math((x,)), " is cut at ", *at, f"{more}; interval arithmetic decides on every part."
                   if leaves <= {"range", "split"} else f"{more}.")
            if leaves <= {"range", "split"}:
                return
        for k, part in enumerate(node["p"]):
            inner = list(self.node(part))
            if not inner:
                continue
            bound = ("≤", cuts[k]) if k < len(cuts) else (">", cuts[-1])
            where: Line = ("For ", Math((x, *bound)), ": ")
            yield (*where, *_lowered(inner[0]))
            yield from inner[1:]

    def by_case(self, step: MetGoal) -> Iterator[Sentence]:
        t = shown(step.node["t"])
        for k, part in enumerate(step.node["p"]):
            inner = list(self.node(part)) or [("it holds.",)]
            where: Line = ("If ", Math((t, "<" if k else "≥", sp.S.Zero)), ": ") if t is not None else \
                (("In the first case: ", "In the second: ")[k],)
            yield (*where, *_lowered(inner[0]))
            yield from inner[1:]

    def by_subst(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        x, y = claim_symbol(_name(node["x"])), claim_symbol(_name(node["y"]))
        kind = node["kind"]
        new = sp.exp(y) if kind == "exp" else 1 / y if kind == "inverse" else y ** node["q"] if kind == "power" else \
            sp.Rational(str(node["a"])) + sp.Rational(str(node["b"])) * y
        yield ("Put ", Math((x, "=", new)), ".")
        yield from self.node(node["p"])

    def by_slack(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        if "." not in node["x"]:            # for quantities what is known has been said
            to = shown(node["to"])
            if to is not None:
                y = claim_symbol(_name(node["y"]))
                to = exchange(to, node["y"], y)
                yield ("Put ", Math((claim_symbol(_name(node["x"])), "=", to)), " with ", Math((y, "≥", sp.S.Zero)), ".")
        yield from self.node(node["p"])

    def by_step(self, step: MetGoal) -> Iterator[Sentence]:
        node = step.node
        x = claim_symbol(_name(node["x"]))
        r = step.domain.box.get(node["x"])
        start = getattr(r, "lo", None)
        at: Line = (" from ", Math((x, "=", sp.Rational(int(start.p), int(start.q))))) if start is not None else ()
        inner = self.steps.of(node["p"][1])
        adds = shown(inner.goal) if inner is not None and node.get("difference") else None
        yield ("By induction on ", Math((x,)), *at, *((": the step adds ", Math((adds,))) if adds is not None else ()), ".")
        for s in self.node(node["p"][1]):
            yield _renamed(s, "The difference", "What is added") if adds is not None else s


def enough(n: int, what: str) -> str:
    """one head is enough, two tokens are enough."""
    word, _, rest = what.partition(" per ")
    plural = f"{word}s" if n != 1 else word
    return f"{_number(n)} {plural}{f' per {rest}' if rest else ''} {'is' if n == 1 else 'are'} enough"


def exchange(expr: Expr, name: str, new: sp.Symbol) -> Expr:
    return expr.xreplace({s: new for s in expr.free_symbols if s.name == name})


def _value(text: str) -> Line:
    from .findings import cut
    number = cut(text, 8)
    return (Math((number.replace("-", "−"),)),)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _names_of(x: Any) -> Iterator[str]:
    text = x[0] if isinstance(x, list) else x
    if isinstance(text, str):
        yield from re.findall(r"[A-Za-z][A-Za-z0-9_-]*(?:\[[^\]]*\])?\.[a-z_]+", text)


def _deepest(node: Any) -> str:
    """The rule of the first node that does more than rewrite."""
    while isinstance(node, dict) and node.get("r") in ("relax", "scale"):
        node = node.get("p")
    return str(node.get("r")) if isinstance(node, dict) else ""


def _lowered(s: Sentence) -> Sentence:
    if s and isinstance(s[0], str) and not re.match(r"W |By (lemma|induction)", s[0]):
        return (s[0][:1].lower() + s[0][1:], *s[1:])
    return s


def _renamed(s: Sentence, old: str, new: str) -> Sentence:
    return tuple(x.replace(old, new) if isinstance(x, str) else x for x in s)


def _name(x: str) -> str:
    return x.split("_z")[0].lstrip("$")
