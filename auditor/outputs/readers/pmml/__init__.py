"""PMML 4.0 to 4.4: association models, trees, rule sets and clusterings, also nested in mining models.

All models of a file are read, and besides what else it tells of the data: statistics of fields (`ModelStats`, one
output each) and least and largest values (intervals of the data dictionary). What may hold records and is not judged
(`ModelVerification`) makes every output of the file unread, so that none of them passes.
"""

from auditor.outputs.readers._reader import Texts
from auditor.outputs.readers.pmml._read import is_one, read
from auditor.registry import Ground

FORMAT = "PMML 4.0 to 4.4"
ABOUT = "rules, itemsets, trees, rule sets, clusters, statistics of fields"
GROUND = Ground.CONTENTS
READERS = (Texts(is_one, read),)
