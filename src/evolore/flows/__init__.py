"""The verbs: each loads through ports, calls the pure systems and writes in one transaction.

A module is loaded when it is first asked for, as in ``flows.recall``: a recall does not pay for what evolution imports.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.flows import add as add
    from evolore.flows import answer as answer
    from evolore.flows import audit as audit
    from evolore.flows import browse as browse
    from evolore.flows import calibrate as calibrate
    from evolore.flows import chat_check as chat_check
    from evolore.flows import check_chunks as check_chunks
    from evolore.flows import confirm_conflicts as confirm_conflicts
    from evolore.flows import contexts as contexts
    from evolore.flows import correct as correct
    from evolore.flows import doctor as doctor
    from evolore.flows import document_version as document_version
    from evolore.flows import expire as expire
    from evolore.flows import forget as forget
    from evolore.flows import graph as graph
    from evolore.flows import history as history
    from evolore.flows import lessons as lessons
    from evolore.flows import maintain as maintain
    from evolore.flows import move_in as move_in
    from evolore.flows import prepare as prepare
    from evolore.flows import procedures as procedures
    from evolore.flows import profile as profile
    from evolore.flows import question_lookup as question_lookup
    from evolore.flows import rate as rate
    from evolore.flows import rebase as rebase
    from evolore.flows import recall as recall
    from evolore.flows import record as record
    from evolore.flows import reembed as reembed
    from evolore.flows import resonate as resonate
    from evolore.flows import review as review
    from evolore.flows import standing_pages as standing_pages
    from evolore.flows import transfer as transfer


def __getattr__(name: str) -> ModuleType:
    whole = f"{__name__}.{name}"
    try:
        return import_module(whole)
    except ModuleNotFoundError as error:
        if error.name != whole:
            raise
        raise AttributeError(f"{__name__} has no module {name!r}") from None
