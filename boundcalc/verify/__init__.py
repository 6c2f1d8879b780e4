"""Verification of concrete networks. `boundcalc.verify(bound)` is a call, and `boundcalc.verify` also this package."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Verify(ModuleType):
    """Python puts an imported package in place of a function of the same name, so the package itself can be called."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from .verification import verify
        return verify(*args, **options)


sys.modules[__name__].__class__ = _Verify
