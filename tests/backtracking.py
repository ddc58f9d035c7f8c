"""Which regular expressions may take worse than linear time, by reading them.

A pattern becomes an automaton whose states are its characters (Glushkov's). A search that fails is
slow where the same text leads along two ways: round one loop and round another behind it (a
quadratic), round one loop in two ways (exponential), or round a loop from each of many places where
the search begins again (quadratic). Counted repeats of more than `MANY` are taken for loops.
Characters are those that the pattern names, and some of each kind.

>>> complaints(r"\\s+$"), complaints(r"\\s+"), complaints(r"(?<!\\s)\\s+$")
(['begins again inside a loop'], [], [])
>>> complaints(r"x\\w*a\\w*b", anchored=True), complaints(r"(?:a+)+b", anchored=True)
(['one loop behind another'], ['a loop in a loop'])
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

MANY = 12
SAMPLE = "abeglnstvyzABSXZ0159_ \t\n\r.,;:!?()[]{}<>\"'’“«-–|/\\*#@&%=+~é²٣\u0301\u00a0\u3000中"
"""Characters of all kinds."""

KINDS = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
Edge = tuple[int, int]


@dataclass
class Part:
    """A stretch of a pattern: the states that it may begin and end with, and if it may be empty.

    `sure` and `certain` are `last` and `empty` where nothing else, such as ``$``, is asked for.
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    empty: bool = True
    sure: list[int] = field(default_factory=list)
    certain: bool = True

    def optional(self) -> "Part":
        """Return the part as one that may be left out."""
        return replace(self, empty=True, certain=True)


class Automaton:
    """States with the characters that they read, and edges between them."""

    def __init__(self, pattern: str, flags: int, *, anchored: bool) -> None:
        tree = _parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.alphabet = sorted({*SAMPLE, *named(tree)})
        self.reads: list[frozenset[str]] = []
        self.atomic: list[tuple[int, ...]] = []
        self.edges: Counter[Edge] = Counter()
        self.within: tuple[int, ...] = ()
        items, free = list(tree), not anchored
        before: list[frozenset[str]] = []
        while items and (looks := self._looks_back(*items[0])) is not None:
            before, free = [*before, *looks], free and bool(looks)
            items = items[1:]
        self.restart = self._state(self.alphabet) if free else None
        if self.restart is not None:
            self.edges[self.restart, self.restart] += 1
        head = Part()
        if self.restart is not None:
            head = Part([self.restart], [self.restart], empty=False)
        for chars in before:
            head = self._joined(head, self._leaf(chars))
        whole = self._joined(head, self._sequence(items))
        self.ends = set(whole.sure)
        alike = {frozenset(i for i, r in enumerate(self.reads) if c in r): c for c in self.alphabet}
        self.alphabet = sorted(alike.values())  # one of each kind that the pattern tells apart
        self.reads = [chars.intersection(self.alphabet) for chars in self.reads]
        self.follow: dict[int, list[int]] = {}
        for a, b in self.edges:
            self.follow.setdefault(a, []).append(b)

    def _state(self, chars: Iterable[str]) -> int:
        self.reads.append(frozenset(chars))
        self.atomic.append(self.within)
        return len(self.reads) - 1

    def _leaf(self, chars: Iterable[str]) -> Part:
        state = self._state(chars)
        return Part([state], [state], False, [state], False)

    def _looks_back(self, op: Any, value: Any) -> list[frozenset[str]] | None:
        """Return what stands before a place where the pattern may begin; None: it does not say."""
        every = frozenset(self.alphabet)
        if op is sre.AT and value is sre.AT_BEGINNING and self.flags & re.MULTILINE:
            return [frozenset("\n")]
        if op is sre.AT and value in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            return []
        if op is sre.AT and value is sre.AT_BOUNDARY:  # all of ours are before a word
            return [frozenset(c for c in every if not re.match(r"\w", c))]
        if op not in (sre.ASSERT, sre.ASSERT_NOT) or value[0] != -1:
            return None
        looked = [self._chars(*item) for item in value[1] if item[0] is not sre.MAX_REPEAT]
        if op is sre.ASSERT_NOT:
            return [every - looked[0]] if len(looked) == 1 else [every]
        return looked or [every]

    def _chars(self, op: Any, value: Any) -> frozenset[str]:
        return frozenset(c for c in self.alphabet if self._reads(op, value, c))

    def _reads(self, op: Any, value: Any, char: str) -> bool:  # noqa: PLR0911 - a line a kind
        if op is sre.LITERAL:
            return self._same(chr(value), char)
        if op is sre.NOT_LITERAL:
            return not self._same(chr(value), char)
        if op is sre.ANY:
            return char != "\n" or bool(self.flags & re.DOTALL)
        if op is sre.RANGE:
            variants = {char, char.lower(), char.upper()} if self.flags & re.I else {char}
            return any(value[0] <= ord(c) <= value[1] for c in variants if len(c) == 1)
        if op is sre.CATEGORY:
            return re.match(KINDS[value], char) is not None
        if op is sre.IN:
            negated = value[0][0] is sre.NEGATE
            return negated != any(self._reads(o, v, char) for o, v in value[negated:])
        if op is sre.BRANCH:
            return any(self._reads(o, v, char) for one in value[1] for o, v in one)
        return True

    def _same(self, one: str, other: str) -> bool:
        return one == other or (bool(self.flags & re.I) and one.lower() == other.lower())

    def _joined(self, one: Part, other: Part) -> Part:
        for a in one.last:
            for b in other.first:
                self.edges[a, b] += 1
        first = [*one.first, *other.first] if one.empty else one.first
        last = [*other.last, *one.last] if other.empty else other.last
        sure = [*other.sure, *one.sure] if other.certain else other.sure
        return Part(first, last, one.empty and other.empty, sure, one.certain and other.certain)

    def _sequence(self, items: Iterable[Any]) -> Part:
        whole = Part()
        for op, value in items:
            whole = self._joined(whole, self._item(op, value))
        return whole

    def _item(self, op: Any, value: Any) -> Part:  # noqa: PLR0911 - a line a kind
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self._repeat(*value)
        if op is sre.POSSESSIVE_REPEAT:
            return self._closed(lambda: self._repeat(*value))
        if op is sre.ATOMIC_GROUP:
            return self._closed(lambda: self._sequence(value))
        if op is sre.SUBPATTERN:
            return self._sequence(value[-1])
        if op is sre.BRANCH:
            return self._either(self._sequence(one) for one in value[1])
        if op in (sre.ASSERT, sre.ASSERT_NOT):  # it is read, and then all is read again
            looked = self._joined(self._sequence(value[1]), self._leaf(""))
            first = looked.first if value[0] == 1 else []
            return Part(first, [], certain=False)
        if op is sre.AT:
            return Part(certain=False)
        return self._leaf(self._chars(op, value))

    def _closed(self, build: Any) -> Part:
        """Build what gives nothing back once it has matched."""
        outside, self.within = self.within, (*self.within, len(self.reads))
        part: Part = build()
        self.within = outside
        return part

    def _either(self, parts: Iterable[Part]) -> Part:
        known = list(parts)
        first = [state for part in known for state in part.first]
        last = [state for part in known for state in part.last]
        sure = [state for part in known for state in part.sure]
        empty, certain = any(part.empty for part in known), any(part.certain for part in known)
        return Part(first, last, empty, sure, certain)

    def _repeat(self, least: int, most: Any, items: Iterable[Any]) -> Part:
        items = list(items)
        if most > MANY:
            part = self._sequence(items)
            for a in part.last:
                for b in part.first:
                    if not self.atomic[a][len(self.within) :]:
                        self.edges[a, b] += 1
                    else:
                        self.edges[a, b] = max(self.edges[a, b], 1)
            return part.optional() if least == 0 else part
        copies = [self._sequence(items) for _ in range(most)]
        tail = Part()
        for copy in reversed(copies[least:]):
            tail = self._joined(copy, tail).optional()
        whole = Part()
        for copy in copies[:least]:
            whole = self._joined(whole, copy)
        return self._joined(whole, tail)

    def steps(self, *states: int) -> Iterator[tuple[int, ...]]:
        """Yield where states may go together, reading the same character."""
        ways: list[tuple[tuple[int, ...], frozenset[str]]] = [((), frozenset(self.alphabet))]
        for state in states:
            ways = [
                ((*way, b), common)
                for way, chars in ways
                for b in self.follow.get(state, ())
                if (common := chars & self.reads[b])
            ]
        return (way for way, _ in ways)

    def reached(self, start: tuple[int, ...], fixed: dict[int, set[int]]) -> set[tuple[int, ...]]:
        """Return all that is reached together; some places must stay inside a set of states."""
        seen: set[tuple[int, ...]] = set()
        todo = [start]
        while todo:
            for way in self.steps(*todo.pop()):
                if way not in seen and all(way[i] in inside for i, inside in fixed.items()):
                    seen.add(way)
                    todo.append(way)
        return seen


def named(tree: Any) -> Iterator[str]:
    """Yield the characters that a pattern names."""
    for op, value in tree:
        if op in (sre.LITERAL, sre.NOT_LITERAL):
            yield chr(value)
        elif op is sre.RANGE:
            yield from map(chr, value)
        elif op is sre.IN:
            yield from named(value)
        elif op is sre.BRANCH:
            for one in value[1]:
                yield from named(one)
        elif isinstance(value, (tuple, list)) and value and hasattr(value[-1], "data"):
            yield from named(value[-1])
        elif hasattr(value, "data"):
            yield from named(value)


def complaints(pattern: str, flags: int = 0, *, anchored: bool = False) -> list[str]:
    """Say in which ways a pattern may be slow; `anchored`: it is tried at one place only."""
    made = Automaton(pattern, flags, anchored=anchored)
    reach = {a: {b for (b,) in made.reached((a,), {})} for a in made.follow}
    loops = {a: {b for b in reach[a] if a in reach.get(b, ())} for a in reach if a in reach[a]}
    found: set[str] = set()
    if any(n > 1 and a in loops and b in loops[a] for (a, b), n in made.edges.items()):
        found.add("a loop in a loop")
    # A loop that may end the match at some point of its way round never fails for long.
    behind = {q for q in loops if not loops[q] & made.ends}
    for p, own in loops.items():
        beside = {b for a, b in made.reached((p, p), {0: own}) if a == p}
        for q in beside & behind - {p}:
            closed = not {*made.atomic[p]} <= {*made.atomic[q]}  # nothing is given back
            if not closed and (p, q, q) in made.reached((p, p, q), {0: own, 2: loops[q]}):
                again = p == made.restart
                twice = "a loop in two ways" if q in own else "one loop behind another"
                found.add("begins again inside a loop" if again else twice)
    return sorted(found)
