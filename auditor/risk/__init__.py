"""Disclosure risk of masked microdata: what an attacker who holds the original, or a part of it, can do."""

from auditor.risk._uniques import UniquesEstimate
from auditor.risk.distance_linkage import Linkage, distance_linkage
from auditor.risk.gamed import gamed
from auditor.risk.group_k import GroupK, group_k
from auditor.risk.individual_risk import IndividualRisk, individual_risks
from auditor.risk.interval_disclosure import IntervalDisclosure, interval_disclosure
from auditor.risk.linkage_risk import LinkageRisk, MethodRisk, known_first, linkage_risk
from auditor.risk.population import PopulationMatches, Presence, match_population, presence
from auditor.risk.probabilistic_linkage import ProbabilisticLinkage, probabilistic_linkage
from auditor.risk.same_rows import SameRows, same_rows
from auditor.risk.scores import DisclosureRisk, disclosure_risk, dr, score
from auditor.risk.suda2 import SpecialUniques, special_uniques
from auditor.risk.superpopulation import EstimatedUniques, estimate_uniques, unique_share

__all__ = [
    "DisclosureRisk",
    "EstimatedUniques",
    "GroupK",
    "IndividualRisk",
    "IntervalDisclosure",
    "Linkage",
    "LinkageRisk",
    "MethodRisk",
    "PopulationMatches",
    "Presence",
    "ProbabilisticLinkage",
    "SameRows",
    "SpecialUniques",
    "UniquesEstimate",
    "disclosure_risk",
    "distance_linkage",
    "dr",
    "estimate_uniques",
    "gamed",
    "group_k",
    "individual_risks",
    "interval_disclosure",
    "known_first",
    "linkage_risk",
    "match_population",
    "presence",
    "probabilistic_linkage",
    "same_rows",
    "score",
    "special_uniques",
    "unique_share",
]
