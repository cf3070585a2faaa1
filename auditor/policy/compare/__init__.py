"""Is one policy at least as strict as another? Field by field, requirement by requirement, waiver by waiver."""

from auditor.policy.compare._policies import compare, needing_approval

__all__ = ["compare", "needing_approval"]
