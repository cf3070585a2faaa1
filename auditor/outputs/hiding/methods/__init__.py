"""The methods, one per file: each a pure function from a problem to an answer.

=================  =====================  =====================================================  =========
name               family                 source                                                 hides
=================  =====================  =====================================================  =========
transactions       removal                Aggarwal 2015, section 20.4                            both
verykios-1a        heuristic              Verykios et al. 2004, algorithm 1.a                    rules
verykios-1b        heuristic              Verykios et al. 2004, algorithm 1.b                    rules
verykios-2a        heuristic              Verykios et al. 2004, algorithm 2.a                    both
verykios-2b        heuristic              Verykios et al. 2004, algorithm 2.b                    both
max-fia            heuristic              Oliveira & Zaïane 2002                                 both
iga                heuristic              Oliveira & Zaïane 2002                                 both
swa                heuristic              Oliveira & Zaïane 2003                                 both
bba                border                 Sun & Yu 2005                                          both
max-min            border                 Moustakides & Verykios 2008                            both
cover              exact                  Menon, Sarkar & Mukherjee 2005                         both
rules              exact                  Menon, Ghoshal & Sarkar 2022                           both
exact              exact                  types × removal sets, see `exact`                      both
=================  =====================  =====================================================  =========

Those of the heuristic and border families and cover hide a rule by the support of the itemset that generates it, which
is more than needed; 1.a, 1.b, 2.a, rules and exact stop at its confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from auditor.outputs.hiding._problem import Answer, Problem

METHODS = {
    "transactions": "whole_transactions",
    "verykios-1a": "verykios_1a",
    "verykios-1b": "verykios_1b",
    "verykios-2a": "verykios_2a",
    "verykios-2b": "verykios_2b",
    "max-fia": "max_fia",
    "iga": "iga",
    "swa": "swa",
    "bba": "bba",
    "max-min": "max_min",
    "cover": "cover",
    "rules": "rules",
    "exact": "exact",
}
"""Every method by name, with its module: imported when it is used, so that no other one pays for its solver."""
ONLY_RULES = frozenset({"verykios-1a", "verykios-1b"})
"""Methods that hide no itemset."""


def method(name: str) -> Callable[[Problem], Answer]:
    """The function of a method."""
    found: Callable[[Problem], Answer] = import_module(f"{__name__}.{METHODS[name]}").hide
    return found
