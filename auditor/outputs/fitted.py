"""Results in the memory of a Python program: models of statsmodels and scikit-learn, and data frames.

They are told apart by their attributes, so neither library has to be installed. Nothing is ever unpickled: whoever has
the object has already made or loaded it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.errors import DataError, Unsupported
from auditor.outputs.published.outputs import Cluster, Clustering, DecisionTree, Published, Regression, Stated
from auditor.outputs.readers import sklearn_tree
from auditor.outputs.readers._file import File, Provenance
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._numbers import stated
from auditor.outputs.readers._read import read_file
from auditor.outputs.readers._records import of_records
from auditor.outputs.readers.coefficients import term

HOLDS_RECORDS = {
    "support_vectors_": "a support vector machine holds records: its support vectors",
    "_fit_X": "a nearest-neighbour model holds the records that it was made from",
    "X_train_": "a Gaussian process holds the records that it was made from",
    "X_fit_": "a kernel model holds the records that it was made from",
    "core_sample_indices_": "a density-based clustering holds records: its core samples",
}
NOTHING_SAID = Hints()
WEIGHTED = "frequency weights: one row stands for several records"
NOISE = "records that are in no cluster are left out"
LABELS = "a clustering object holds the cluster of each record (labels_); release sizes and centres, not the object"


def is_one(result: Any) -> bool:
    """Whether an object is a fitted model or a data frame that `published` may read."""
    return _reader(result) is not None


def published(result: Any, hints: Hints = NOTHING_SAID, *, name: str = "given from Python") -> tuple[Published, ...]:
    """What a fitted model, or a data frame (of mlxtend, or a crosstab), publishes.

    Args:
        result: a result of statsmodels; a tree, forest, linear model or clustering of scikit-learn; a data frame or a
            series of pandas.
        hints: what the object does not say.
        name: what the output is called in the result.

    Raises:
        DataError: the object contradicts itself, or is not fitted.
        Unsupported: an object of another kind, or one that holds records.
    """
    reader = _reader(result)
    if reader is None:
        raise Unsupported(f"{name}: an object of a kind that is not read; a fitted model, a data frame, or a file")
    found = tuple(reader(result, name, hints))
    if not found:
        raise Unsupported(f"{name}: an object that holds no output; a fitted model, or a data frame with numbers")
    return found


_Read = Callable[[Any, str, Hints], Iterator[Published]]


def _reader(result: Any) -> _Read | None:
    if isinstance(result, (str, bytes, Mapping, Published)):
        return None
    if hasattr(result, "to_csv") and (hasattr(result, "columns") or hasattr(result, "to_frame")):
        return _frame
    held = next((reason for attribute, reason in HOLDS_RECORDS.items() if hasattr(result, attribute)), None)
    if held is not None:
        return _refuse(held)
    return next((read for needed, read in _KINDS if all(hasattr(result, each) for each in needed)), None)


def _refuse(reason: str) -> _Read:
    def refuse(_: Any, name: str, __: Hints) -> Iterator[Published]:
        raise Unsupported(f"{name}: {reason}")

    return refuse


def _provenance(name: str, form: str) -> Provenance:
    return Provenance(source=name, format=form, sha256="")


def _exactly(number: Any) -> Stated | None:
    """A float with all its digits; None where it is none, or infinite."""
    return stated(repr(float(number)))


# Data frames


def _frame(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    """A data frame or a series, as it stands in the file that it would be written to, and what that leaves out."""
    across = getattr(getattr(result, "columns", None), "name", None)  # of several levels, the file names each
    names = list(result.index.names) if hasattr(result, "index") else [None]
    keys = 0 if None in names else len(names)
    asked = replace(asked, across="" if across is None else str(across), keys=keys)
    yield from read_file(File(name, result.to_csv().encode()), asked)


# statsmodels


def _statsmodels(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    """A regression with n, degrees of freedom, and how many records each indicator stands for."""
    model = result.model
    names = [str(each) for each in model.exog_names]
    design = np.asarray(model.exog)
    outcome = model.endog_names
    coefficients = np.asarray(result.params)
    equations = coefficients.reshape(coefficients.shape[0], -1).T
    ones = [_ones(design[:, i]) if i < design.shape[1] else None for i in range(len(equations[0]))]
    names += [f"parameter {i + 1}" for i in range(len(names), len(equations[0]))]
    terms = tuple(
        term(names[i], _exactly(number), asked.columns, ones[i])
        for equation in equations
        for i, number in enumerate(equation)
    )
    weights = np.asarray(getattr(model, "freq_weights", 1))
    found = Regression(
        **_provenance(name, "statsmodels"),
        records=_whole(result.nobs),
        outcome=outcome if isinstance(outcome, str) else None,
        dof=_whole(result.df_resid),
        terms=terms,
        unread=(WEIGHTED,) if (weights != 1).any() else (),
    )
    yield of_records(found, asked.records)


def _ones(column: Any) -> int | None:
    """How many records have a 1 in a column of zeros and ones; None for any other column, and for the intercept."""
    count = int((column == 1).sum())
    return count if ((column == 0) | (column == 1)).all() and count < len(column) else None


def _whole(number: Any) -> int | None:
    return int(number) if float(number).is_integer() and number >= 0 else None


# scikit-learn


def _tree(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    yield _of_tree(result, result, name, asked)


def _forest(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    """Each tree of a forest, or of a boosted model, is an output of its own."""
    for number, each in enumerate(np.asarray(result.estimators_, dtype=object).ravel(), 1):
        if not hasattr(each, "tree_"):
            raise Unsupported(f"{name}: an ensemble of other models than trees")
        yield _of_tree(each, result, f"{name}, tree {number}", asked)


def _of_tree(tree: Any, model: Any, name: str, asked: Hints) -> DecisionTree:
    """A tree; its classes and features have the names of the model that it is part of."""
    arrays = tree.tree_
    if getattr(arrays, "n_outputs", 1) != 1:
        raise Unsupported(f"{name}: a tree of several outcomes")
    content: dict[str, Any] = {each: getattr(arrays, each).tolist() for each in sklearn_tree.REQUIRED}
    content["weighted_n_node_samples"] = arrays.weighted_n_node_samples.tolist()
    content |= {"feature_names": [str(each) for each in getattr(model, "feature_names_in_", ())] or None}
    if hasattr(tree, "classes_"):
        content["classes"] = [str(each) for each in model.classes_]
    return sklearn_tree.of_arrays(Value(content, "", name), _provenance(name, "scikit-learn"), asked)


def _linear(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    """The coefficients of a linear model, which holds neither n nor degrees of freedom."""
    rows = np.atleast_2d(np.asarray(result.coef_))
    names = _features(result, rows.shape[1])
    intercepts = np.broadcast_to(np.asarray(getattr(result, "intercept_", 0.0)), (len(rows),))
    terms = [
        term(label, _exactly(number), asked.columns)
        for row, intercept in zip(rows, intercepts, strict=True)
        for label, number in zip(("Intercept", *names), (intercept, *row), strict=True)
    ]
    found = Regression(**_provenance(name, "scikit-learn"), outcome=None, terms=tuple(terms))
    yield of_records(found, asked.records)


def _clusters(result: Any, name: str, asked: Hints) -> Iterator[Published]:
    """The sizes of clusters, and their centres where the model has them."""
    labels = np.asarray(result.labels_)
    centres = getattr(result, "cluster_centers_", None)
    names = _features(result, 0 if centres is None else np.asarray(centres).shape[1])
    found = []
    for label in range(int(labels.max(initial=-1)) + 1):
        numbers: Sequence[Any] = () if centres is None else np.asarray(centres)[label].tolist()
        centre = tuple((each, repr(number)) for each, number in zip(names, numbers, strict=True))
        found.append(Cluster(size=int((labels == label).sum()), centre=centre))
    if centres is not None and len(centres) != len(found):
        raise DataError(f"{name}: another number of centres than of clusters; a fitted model as it is")
    notes = (LABELS, NOISE) if (labels < 0).any() else (LABELS,)
    output = Clustering(**_provenance(name, "scikit-learn"), records=len(labels), clusters=tuple(found), notes=notes)
    yield of_records(output, asked.records)


def _features(result: Any, width: int) -> list[str]:
    names = [str(each) for each in getattr(result, "feature_names_in_", ())]
    return names if len(names) == width else [f"feature_{i}" for i in range(width)]


_KINDS: tuple[tuple[tuple[str, ...], _Read], ...] = (
    (("params", "df_resid", "nobs", "model"), _statsmodels),
    (("tree_",), _tree),
    (("estimators_",), _forest),
    (("labels_",), _clusters),
    (("coef_",), _linear),
)
"""The attributes that a fitted model of each kind has, and how it is read."""
