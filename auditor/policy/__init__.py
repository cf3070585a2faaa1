"""What a release must satisfy: the policy file, loading it with the place of every value, and starter packs.

The file is described by models, one idea each: `schema` (the whole), `attributes`, `hierarchies`, `remediation`,
`queries`, `outputs`, `waivers`, `packs`; requirements are the models of `auditor.models`. `load_policy`
reads, merges and checks; `bind` matches a policy with the columns of a table.
"""

from auditor.policy._load import load_policy
from auditor.policy.attributes import Attribute
from auditor.policy.binding import Binding, BoundRequirement, bind
from auditor.policy.file.nodes import Origin
from auditor.policy.json_schema import policy_schema
from auditor.policy.packs import starter_names, starter_policies
from auditor.policy.schema import Policy

__all__ = [
    "Attribute",
    "Binding",
    "BoundRequirement",
    "Origin",
    "Policy",
    "bind",
    "load_policy",
    "policy_schema",
    "starter_names",
    "starter_policies",
]
