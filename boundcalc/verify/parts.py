"""Certificates of compositions: every part over its own enlarged box, added up by the pass that derived the bound.

A certificate must speak of the network that is exported. So its weights are read into a program, and so are those of the
parts, each fed with the forms that feed it in the plan; only if both are the same function (digest.py) is anything said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..derivation.composition import Pass, Span
from ..errors import NotDerivable
from ..networks.network import Network
from ..results.parts import Composition, Part
from ..results.verification import Certified, NotCertified
from .balls import Progress, rational
from .certify import certify
from .digest import NamedForm, combined, input_form, outputs_of
from .program import Program, program_of
from .proof import Domain

if TYPE_CHECKING:
    from ..results.bound import Bound

FEW = 12            # atoms of a program that is also looked at as a whole


def certify_parts(bound: Bound, program: Program, domain: Domain, size: Fraction | None,
                  progress: Progress | None = None) -> Certified | NotCertified:
    """The network of a plan: the smaller of what its parts give and, where it is small, of what direct methods give."""
    by_parts = _by_parts(bound, program, progress)
    if len(program.atoms) > FEW:
        return by_parts
    direct = certify(program, bound.targets(), domain, rational(bound.values["delta"]), size=size, progress=progress)
    if isinstance(by_parts, NotCertified) or isinstance(direct, NotCertified):
        return by_parts if isinstance(direct, NotCertified) else direct
    return min(direct, by_parts, key=lambda c: c.error)


def _by_parts(bound: Bound, program: Program, progress: Progress | None) -> Certified | NotCertified:
    composition = bound.composition
    assert composition is not None
    if not is_composition(program, composition):
        return NotCertified("the exported weights are not seen to be the composition of the parts")
    forward = Pass(composition.inputs, composition.delta)
    found: list[Certified] = []
    known: dict[tuple[int, tuple[Span, ...]], Certified | NotCertified] = {}
    try:
        for part in composition.parts:
            arguments = [forward.affine(a) for a in part.arguments]
            # where earlier certificates are larger than what was derived, the box of this one is too small
            reached = map(forward.perturbed, arguments)
            box = tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(part.box, reached, strict=True))
            key = id(part.bound), box
            if key not in known:
                known[key] = certify_part(part, progress, box)
            proved = known[key]
            if isinstance(proved, NotCertified):
                return NotCertified(f"the part {part.name} ({part.construction_name}): {proved.reason}")
            forward.apply(part.name, part.target, arguments, box, (-proved.error, proved.error))
            found.append(proved)
        ends = [forward.error(forward.affine(form)) for form in composition.outputs.values()]
    except NotDerivable as problem:
        return NotCertified(problem.problem.rstrip("."))
    error = max(max(-low, high) for low, high in ends)
    methods = ", ".join(dict.fromkeys(c.method for c in found))
    return Certified(error, f"by parts ({methods or 'nothing to prove'}); the weights are their composition",
                     sum(c.boxes for c in found), ())


def certify_part(part: Part, progress: Progress | None = None,
                 box: Sequence[Span] | None = None) -> Certified | NotCertified:
    """The part's own network against its own target, over the box where its arguments can be, or over a larger one."""
    domain: Domain = tuple((rational(low), rational(high)) for low, high in box or part.box)
    return certify(program_of(network_of(part)), [part.target], domain, size=part.accuracy, progress=progress)


def network_of(part: Part) -> Network:
    """One copy, with inputs numbered: names are for people."""
    network = part.bound.network
    return replace(network, inputs=tuple(f"x{k}" for k in range(len(network.inputs))))


def is_composition(program: Program, composition: Composition) -> bool:
    """Whether the outputs of a network are those of the parts, put together as the plan says, copy by copy."""
    size = len(composition.inputs)
    copies, rest = divmod(len(program.inputs), size)
    if rest or len(program.outputs) != copies * len(composition.outputs):
        return False
    inputs = [input_form(str(k)) for k in range(len(program.inputs))]
    seen = outputs_of(program, inputs)
    wanted = [form for c in range(copies) for form in _composed(composition, inputs[c * size:(c + 1) * size])]
    return seen == wanted


def _composed(composition: Composition, inputs: Sequence[NamedForm]) -> list[NamedForm]:
    values = dict(zip(composition.inputs, inputs, strict=True))
    programs: dict[int, Program] = {}
    for part in composition.parts:
        if id(part.bound) not in programs:
            programs[id(part.bound)] = program_of(network_of(part))
        arguments = [combined([(rational(c), values[name]) for name, c in form.terms], rational(form.constant))
                     for form in part.arguments]
        (values[part.name],) = outputs_of(programs[id(part.bound)], arguments)
    return [combined([(rational(c), values[name]) for name, c in form.terms], rational(form.constant))
            for form in composition.outputs.values()]
