"""What a contract says of one column: the few words that tell a role or a person, and the others by their name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args
from unicodedata import normalize

from auditor.policy.attributes import Role
from auditor.policy.file.nodes import Mark, Node, Scalar, shown
from auditor.policy.file.problems import Problems, one_of, quoted

KEY = "auditor"
"""The custom property, or the key of dbt's ``meta``, that says a role in a policy's own words."""
ROLES: tuple[str, ...] = get_args(Role)
ROLE_WORDS = {
    "identifier": "identifier",
    "direct-identifier": "identifier",
    "quasi-identifier": "quasi-identifier",
    "indirect-identifier": "quasi-identifier",
}
"""Words of a classification or a tag that mean one role wherever they are used."""
PERSONAL = frozenset({"personal", "personal-data", "pii", "phi", "sensitive"})
"""Words that say a column is about a person, but not what an attacker does with it."""


@dataclass(frozen=True)
class ContractColumn:
    """One column of a contract.

    `role` is what the contract says in so many words. `personal` are the words that call the column personal, and
    `unread` those that tell no role, such as ``classification 'restricted'``.
    """

    name: str
    mark: Mark
    role: str | None = None
    personal: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def is_personal(self) -> bool:
        """Whether the contract calls the column personal: with such a word, or by any role but insensitive."""
        return bool(self.personal) or self.role not in (None, "insensitive")


Word = tuple[str, Node]
"""What kind of word it is, for messages (``tag``), and the word."""


def column(
    name: str,
    mark: Mark,
    exact: Sequence[Node],
    words: Iterable[Word],
    problems: Problems,
    *,
    besides: Iterable[str] = (),
) -> ContractColumn:
    """What is said of a column.

    Args:
        name: its name in the data.
        mark: where it stands.
        exact: what stands under the key `KEY`.
        words: its classification and its tags.
        problems: takes words that contradict each other, and roles that do not exist.
        besides: what else calls the column personal.
    """
    roles, personal, unread = dict[str, str](), list(besides), list[str]()
    for kind, node in words:
        if not isinstance(node, Scalar):
            problems.add(node.mark, f"{kind}: {shown(node)} was read", "wanted: text")
        elif role := ROLE_WORDS.get(_plain(node.text)):
            roles[role] = f"{kind} {quoted(node.text)}"
        elif _plain(node.text) in PERSONAL:
            personal.append(f"{kind} {quoted(node.text)}")
        elif not node.is_null:
            unread.append(f"{kind} {quoted(node.text)}")
    if told := _exact(exact, problems):
        words_beside = [*personal, *roles.values()]
        if told == {"insensitive"} and words_beside:
            problems.add(mark, f"{quoted(name)} is insensitive, and {words_beside[0]} calls it personal", "one of them")
        roles = dict.fromkeys(told, KEY)
    if len(roles) > 1:
        problems.add(mark, f"{quoted(name)} has the roles {' and '.join(roles)}", "one of them")
    return ContractColumn(
        name, mark, next(iter(roles), None), *(tuple(dict.fromkeys(said)) for said in (personal, unread))
    )


def _exact(nodes: Sequence[Node], problems: Problems) -> set[str]:
    said = set()
    for node in nodes:
        if isinstance(node, Scalar) and node.text in ROLES:
            said.add(node.text)
        else:
            right = one_of(node.text if isinstance(node, Scalar) else "", ROLES)
            problems.add(node.mark, f"{KEY}: {shown(node)} was read", right)
    return said


def _plain(word: str) -> str:
    """A word without what people write differently.

    >>> _plain("Quasi_Identifier ")
    'quasi-identifier'
    """
    return re.sub(r"[\s_-]+", "-", folded(word).strip())


def folded(text: str) -> str:
    """A name or a word as one that is written in other letters, or with other code points, is known by.

    >>> folded("CAFE\u0301") == folded("caf\u00e9")
    True
    """
    return normalize("NFKC", normalize("NFKC", text).casefold())
