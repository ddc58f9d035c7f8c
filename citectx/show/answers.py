"""What an answer to an exercise may be: numbers, words, and collections of them.

Anything else is refused by its exact type, since it could decide by itself what it equals.
"""

from collections import Counter, OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from types import EllipsisType, MappingProxyType, NoneType
from typing import Any

import numpy as np
import pandas as pd

from citectx.errors import ParameterError

SCALARS = {bool, int, float, str, NoneType, EllipsisType}
EXTENDED = {np.longdouble, np.clongdouble}  # these have no twin among Python's own numbers
NUMPY_SCALARS = {*np.sctypeDict.values()} - EXTENDED
FRACTIONS = {Fraction, Decimal}
LISTS = {list, tuple, range, type({}.keys()), type({}.values())}
SETS = {set, frozenset}
MAPPINGS = {dict, OrderedDict, Counter, defaultdict, MappingProxyType}
LARGEST = 10_000
"""The most members that a collection may have; no exercise asks for more than a few dozen."""


def plain(answer: Any) -> Any:
    """Return an answer in Python's own types; a Series stays one, as it may be a list or a dict.

    >>> plain((np.float64(0.5), Fraction(1, 4), {"a"}))
    [0.5, 0.25, {'a'}]
    >>> plain(pd.DataFrame({"c-F": [14.3, 18.0]})).tolist()
    [14.3, 18.0]
    >>> plain(print)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    citectx.errors.ParameterError: This is a builtin_function_or_method; ...
    """
    try:
        return _plain(answer)
    except RecursionError as error:  # a list that contains itself
        raise ParameterError("Your answer has no end; give a number, a word, or a list.") from error


def _plain(answer: Any) -> Any:
    kind = type(answer)
    if kind in SCALARS:
        return answer
    if kind in FRACTIONS:
        return float(answer)
    if kind in NUMPY_SCALARS:
        return _plain(answer.item())
    if kind is np.ndarray and answer.size <= LARGEST:
        return _plain(answer.squeeze().tolist())  # a column is an array of (n, 1)
    if kind is pd.DataFrame and 1 in answer.shape:
        return _plain(answer.iloc[:, 0] if answer.shape[1] == 1 else answer.iloc[0])
    check_collection(answer)
    return _plain_members(answer)


def check_collection(answer: Any) -> None:
    """Refuse what is no collection of ours to look into."""
    kind = type(answer)
    is_index = isinstance(answer, pd.Index) and kind.__module__.partition(".")[0] == "pandas"
    if kind not in {*LISTS, *SETS, *MAPPINGS, pd.Series} and not is_index:
        raise ParameterError(
            f"This is a {kind.__name__}; answer with a number, a word, a list, a set, a dict, "
            "a Series, or a table with one column or one row."
        )
    if len(answer) > LARGEST:
        raise ParameterError(f"Your answer has {len(answer):,} members; that is too many.")
    # What has no order, or names something, has members that can be hashed once they are plain.
    named = answer if kind in SETS | MAPPINGS else ()
    if not all(type(member) in SCALARS | NUMPY_SCALARS for member in named):
        raise ParameterError("Members of your set, or names in your dict, are collections.")


def _plain_members(answer: Any) -> Any:
    kind = type(answer)
    if kind in MAPPINGS:
        return {_plain(name): _plain(value) for name, value in answer.items()}
    if kind is pd.Series:
        labels = [_plain(label) for label in answer.index]
        return pd.Series([_plain(value) for value in answer], labels, dtype=object)
    members = [_plain(member) for member in answer]
    return set(members) if kind in SETS else members


def to_json(answer: Any) -> Any:
    """Describe a plain answer in JSON, where only a list has no name for its kind.

    >>> to_json({"a": [1.5]}), to_json({2, 1})
    ({'dict': [['a', [1.5]]]}, {'set': [1, 2]})
    """
    if isinstance(answer, set):
        return {"set": sorted(map(to_json, answer), key=repr)}
    if isinstance(answer, pd.Series | dict):
        kind = "series" if isinstance(answer, pd.Series) else "dict"
        return {kind: [[to_json(name), to_json(value)] for name, value in answer.items()]}
    if isinstance(answer, list):
        return [to_json(member) for member in answer]
    return answer


def from_json(content: Any) -> Any:
    """Return the answer that JSON describes.

    >>> from_json({"dict": [["a", {"set": [1]}]]})
    {'a': {1}}
    """
    if isinstance(content, list):
        return [from_json(member) for member in content]
    if not isinstance(content, dict):
        return content
    [(kind, described)] = content.items()
    members = from_json(described)
    if kind == "series":
        labels, values = ([pair[i] for pair in members] for i in (0, 1))
        return pd.Series(values, labels, dtype=object)
    return {"set": set, "dict": dict}[kind](members)
