r"""What a file of arrays must hold: files from anywhere are read without pickle, and checked.

A form names the arrays of a file, each with its kind and its sizes:

>>> FORM = {"words": "names n", "matrix": "f4 n d", "scale": "f4? n"}

=================  =================================================================================
kind               values
=================  =================================================================================
f4 f8 i1 i4 i8 u1  numbers of exactly this type; none is NaN or infinite
u                  whole numbers from 0 on, in as many bytes as their writer needed
U                  strings as numpy has them
text               strings that `packed` has made, none of them empty; their number is the size
names              such strings, no two of them alike
=================  =================================================================================

A ``?`` behind the kind: the array may be missing. A size is a number, or a name that stands for the
same number in the whole file; ``n+1`` is one more. The array ``*`` is any other one.

What relates the values of arrays is checked by a function beside the reader (`Relations`).

A file that was read and checked once can be mapped after that (`open_arrays`): then only what is
looked at is read.
"""

import math
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from citectx.errors import DataError
from citectx.storage import most_unpacked, stamp

Arrays: TypeAlias = dict[str, NDArray[Any]]
Form: TypeAlias = Mapping[str, str]
Relations: TypeAlias = Callable[[Arrays], Iterable[tuple[str, Any, str]]]
"""Yields an array's name, whether it is as expected, and what is expected. Each is asked only if
all before it hold."""

_TEXT = ("text", "names")
_REMEDY = "copy it again, or make it anew"


def packed(words: Iterable[str]) -> NDArray[np.uint8]:
    """Pack strings into bytes; numpy's own take four bytes a letter.

    Raises
    ------
    DataError
        If a string is empty, holds a line break, or cannot be written in UTF-8.

    Examples
    --------
    >>> unpacked(packed(["cell", "Zürich"]))
    ('cell', 'Zürich')
    """
    words = tuple(words)
    text = "\n".join(words)
    if "" in words or text.count("\n") >= max(len(words), 1):
        bad = next(word for word in words if not word or "\n" in word)
        raise DataError(f"{bad!r} cannot be a name: it is empty or holds a line break")
    try:
        return np.frombuffer(text.encode(), dtype=np.uint8)
    except UnicodeEncodeError as error:
        bad = text[max(0, error.start - 40) : error.end].rpartition("\n")[2]
        raise DataError(f"{bad!r} cannot be a name: it is no Unicode") from error


def unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    """Undo `packed`."""
    return tuple(bytes(array).decode().split("\n")) if array.size else ()


def read_arrays(path: Path, form: Form, relations: Relations | None = None, **sizes: int) -> Arrays:
    """Read an npz file, which must be of a form.

    Nothing is unpacked before its header was found to be as expected.

    Parameters
    ----------
    path : Path
    form : mapping of str to str
        Array to its kind and sizes.
    relations : callable, optional
        What must hold between the arrays.
    **sizes : int
        Sizes that are known beforehand.

    Raises
    ------
    DataError
        If the file is missing, damaged or not of the form; the message names the array.

    Examples
    --------
    >>> import tempfile
    >>> from citectx.storage import write_arrays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.npz")
    ...     write_arrays(file, words=packed(["cell"]), matrix=np.ones((1, 3), dtype=np.float32))
    ...     read_arrays(file, {"words": "names n", "matrix": "f4 n d"})["matrix"].tolist()
    [[1.0, 1.0, 1.0]]
    """
    with _blaming_file(path), zipfile.ZipFile(path) as archive:
        declared = _all_declared(form, _members(archive, most_unpacked(path)))
        known = dict(sizes)
        arrays = {each.name: _array(archive, each, known) for each in declared}
    if relations:
        check(path, relations(arrays))
    return arrays


def open_arrays(path: Path, form: Form, **sizes: int) -> Arrays:
    """Map the arrays of an npz file that `read_arrays` has found to be of a form.

    Headers are checked again, values are not: they are read from the file when they are looked at.
    Arrays may lie at any byte, so take slices of them, which numpy copies as they are; most of its
    functions would copy the whole array first.

    Parameters
    ----------
    path : Path
        Its arrays must not be compressed; `citectx.storage.write_arrays` writes them so.
    form : mapping of str to str
    **sizes : int

    Raises
    ------
    DataError
        As `read_arrays`, or if an array is compressed.
    """
    with _blaming_file(path):
        places = _places(path, stamp(path), tuple(form.items()), tuple(sizes.items()))
        whole = np.memmap(path, mode="r", dtype=np.uint8)
        return {name: place.array_in(whole) for name, place in places.items()}


class _Place(NamedTuple):
    """Where in a file an array is."""

    header: "_Header"
    begin: int

    def array_in(self, whole: NDArray[np.uint8]) -> NDArray[Any]:
        shape, by_columns, dtype, _ = self.header
        order: Literal["F", "C"] = "F" if by_columns else "C"
        return np.ndarray(shape, dtype, whole, self.begin, order=order)


@lru_cache(maxsize=4096)
def _places(
    path: Path,
    _: tuple[int, ...],
    form: tuple[tuple[str, str], ...],
    sizes: tuple[tuple[str, int], ...],
) -> dict[str, _Place]:
    """Find the arrays of a file; once a process, unless the file changes."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        declared = _all_declared(dict(form), _members(archive, most_unpacked(path)))
        known = dict(sizes)
        return {each.name: _place(archive, file, each, known) for each in declared}


@contextmanager
def _blaming_file(path: Path) -> Iterator[None]:
    """Name the file in all errors."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError("is not there; expected an npz file", file=path) from error
    except DataError as error:
        raise DataError(error.message, file=path) from error
    except Exception as error:  # zipfile and zlib raise a dozen kinds for damaged files
        raise DataError(f"is not a whole npz file of plain arrays ({error})", file=path) from error


def check(path: Path, relations: Iterable[tuple[str, Any, str]]) -> None:
    """Check what must hold between the arrays of a file, as `Relations` yields it.

    Raises
    ------
    DataError
        For the first that does not hold.
    """
    for name, holds, expected in relations:
        if not holds:
            raise DataError(f"{name}: expected {expected}; {_REMEDY}", file=path)


def rising(places: NDArray[Any], end: int) -> bool:
    """Whether whole numbers rise, from 0 or more to below an end.

    >>> rising(np.array([0, 2, 5]), 6), rising(np.array([0, 2, 2]), 6), rising(np.array([]), 6)
    (True, False, True)
    """
    inside = not places.size or (places[0] >= 0 and places[-1] < end)
    return bool(inside and (places[1:] > places[:-1]).all())


class _Declared(NamedTuple):
    """What a form says of an array."""

    name: str
    kind: str
    sizes: list[str]

    @classmethod
    def of(cls, name: str, declared: str) -> "_Declared":
        kind, *sizes = declared.replace("?", "").split()
        return cls(name, kind, sizes)

    def error(self, found: str, known: Mapping[str, int]) -> DataError:
        shape = ", ".join(_shown(size, known) for size in self.sizes)
        shown = {"text": "packed text", "names": "packed names", "U": "U", "u": "unsigned numbers"}
        kind = shown.get(self.kind) or np.dtype(self.kind).name
        return DataError(f"{self.name}: expected {kind} ({shape}), found {found}; {_REMEDY}")

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """Tell whether an array of some type is of this kind."""
        if self.kind in ("U", "u"):
            return dtype.kind == self.kind
        return dtype.newbyteorder("=") == ("u1" if self.kind in _TEXT else self.kind)

    def fits(self, shape: tuple[int, ...], known: dict[str, int]) -> bool:
        """Tell whether sizes are those that are known; those that were not are so from now on."""
        if len(shape) != len(self.sizes):
            return False
        for found, size in zip(shape, self.sizes, strict=True):
            name, _, more = size.partition("+")
            rest = found - int(more or 0)
            expected = int(name) if name.isdecimal() else known.setdefault(name, rest)
            if rest < 0 or rest != expected:
                return False
        return True


def _shown(size: str, known: Mapping[str, int]) -> str:
    name, _, more = size.partition("+")
    return f"{size}={known[name] + int(more or 0)}" if name in known else size


def _all_declared(form: Form, members: Sequence[str]) -> list[_Declared]:
    """Return what a form says of each array that a file has; these must be those of the form."""
    more = [name for name in members if name not in form]
    if missing := _missing(form, members):
        raise DataError(f"lacks {', '.join(map(repr, missing))}; {_REMEDY}")
    if more and "*" not in form:
        raise DataError(f"also holds {', '.join(map(repr, more))}; {_REMEDY}")
    own = [_Declared.of(name, form[name]) for name in form if name in members]
    return own + [_Declared.of(name, form["*"]) for name in more]


def _missing(form: Form, members: Sequence[str]) -> list[str]:
    needed = [name for name, declared in form.items() if name != "*" and "?" not in declared]
    return [name for name in needed if name not in members]


def _members(archive: zipfile.ZipFile, most: int) -> list[str]:
    """Return the names of the arrays in an archive that can be trusted to be read."""
    found = archive.infolist()
    names = Counter(info.filename for info in found)
    for info in found:
        name = info.filename
        plain = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not name.endswith(".npy") or names[name] > 1 or info.flag_bits & 1 or not plain:
            raise DataError(f"member {name!r} is no array, encrypted, or there twice; {_REMEDY}")
    if sum(info.file_size for info in found) > most:
        raise DataError(f"unpacks to more than {most:,} bytes and is not to be trusted")
    return [name.removesuffix(".npy") for name in names]


class _Header(NamedTuple):
    """What an array is announced to be, and how many bytes that takes."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]
    size: int


def _array(archive: zipfile.ZipFile, declared: _Declared, known: dict[str, int]) -> NDArray[Any]:
    with _blaming(declared):
        header = _header_of(archive, declared, known)
        with archive.open(f"{declared.name}.npy") as file:
            array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
    array = array.astype(header.dtype.newbyteorder("="), copy=False)
    _check_values(declared, array, known)
    return array


def _place(
    archive: zipfile.ZipFile, file: BinaryIO, declared: _Declared, known: dict[str, int]
) -> _Place:
    member = archive.getinfo(f"{declared.name}.npy")
    if member.compress_type != zipfile.ZIP_STORED:
        raise DataError(f"{declared.name}: is compressed, and cannot be mapped; {_REMEDY}")
    with _blaming(declared):
        header = _header_of(archive, declared, known)
        file.seek(member.header_offset)
        local = file.read(30)  # a name and further fields are behind it
        behind = sum(struct.unpack("<HH", local[26:]))
        return _Place(header, member.header_offset + len(local) + behind + header.size)


@contextmanager
def _blaming(declared: _Declared) -> Iterator[None]:
    """Name the array in all errors that are not ours."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{declared.name}: is no whole array of plain values ({error})") from error


def _header_of(archive: zipfile.ZipFile, declared: _Declared, known: dict[str, int]) -> _Header:
    """Read an array's header, which must be as declared."""
    member = archive.getinfo(f"{declared.name}.npy")
    with archive.open(member) as file:
        header = _header(file, member.file_size)
    is_text = declared.kind in _TEXT
    fits = len(header.shape) == 1 if is_text else declared.fits(header.shape, known)
    if not fits or not declared.takes(header.dtype):
        raise declared.error(f"{header.dtype} {header.shape}", known)
    return header


def _header(file: Any, size: int) -> _Header:
    """Read what an array is announced to be; it must be as large as the file that holds it."""
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, by_columns, dtype = readers[npy.read_magic(file)](file)
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size - file.tell():
        raise ValueError(f"{dtype} {shape} are announced, which are not its {size:,} bytes")
    return _Header(shape, by_columns, dtype, file.tell())


def _check_values(declared: _Declared, array: NDArray[Any], known: dict[str, int]) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        bad = array.size - np.count_nonzero(np.isfinite(array))
        raise DataError(f"{declared.name}: {bad:,} of {array.size:,} numbers are NaN or infinite")
    if array.dtype.kind == "U" and not _is_unicode(array):
        raise DataError(f"{declared.name}: holds letters that are not in Unicode")
    if declared.kind in _TEXT:
        words = _words(declared.name, array)
        if not declared.fits((len(words),), known):
            raise declared.error(f"{len(words)}", known)
        if declared.kind == "names" and len(set(words)) < len(words):
            twice = Counter(words).most_common(1)[0][0]
            raise DataError(f"{declared.name}: {twice!r} occurs twice; {_REMEDY}")


def _words(name: str, array: NDArray[np.uint8]) -> tuple[str, ...]:
    try:
        words = unpacked(array)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: is not in UTF-8 ({error}); {_REMEDY}") from error
    if "" in words:
        raise DataError(f"{name}: holds an empty string; {_REMEDY}")
    return words


def _is_unicode(array: NDArray[Any]) -> bool:
    letters = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    surrogates = (letters >= 0xD800) & (letters < 0xE000)
    return not (surrogates | (letters > 0x10FFFF)).any()
