"""boundcalc: exact symbolic bounds for explicit softmax attention networks.

    import boundcalc
    result = boundcalc.bound("mult", eps="1e-3")
    result.resources["heads"].exact, result.total.upper

The public names are loaded when they are first used; importing the package itself imports nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {     # name → (module, attribute)
    "bound": ("results.bound", "bound"),
    "Bound": ("results.bound", "Bound"),
    "network": ("results.given", "network"),
    "closed_forms": ("results.bound", "closed_forms"),
    "names": ("declarations.registry", "names"),
    "report_of": ("results.report", "report_of"),
    "render": ("export", "render"),
    "observe": ("verify.search", "observe"),
    "verify": ("verify.verification", "verify"),
    "check": ("claims.check", "check_text"),
    "plot": ("pictures.plot", "plot"),
    "recheck": ("claims.check", "recheck"),
    "enclose": ("verify.enclose", "enclose"),
    "evaluate": ("verify.evaluate", "evaluate"),
    "evaluator": ("verify.floats", "evaluator"),
    "load_network": ("networks.file", "load"),
    "save_network": ("networks.file", "save"),
    "schema": ("schemas", "schema"),
    "BoundcalcError": ("errors", "BoundcalcError"),
    "InvalidInput": ("errors", "InvalidInput"),
    "Infeasible": ("errors", "Infeasible"),
    "NotDerivable": ("errors", "NotDerivable"),
}
__all__ = list(_PUBLIC)
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'boundcalc' has no attribute '{name}'")
    module, attribute = _PUBLIC[name]
    return getattr(import_module(f".{module}", __name__), attribute)


def __dir__() -> list[str]:
    return sorted([*_PUBLIC, "__version__"])
