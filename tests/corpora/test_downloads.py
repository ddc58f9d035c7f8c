"""Servers that answer with anything: a download is what was registered, or an error of ours."""

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from citectx.corpora import registry as facts
from citectx.corpora.registry import Member, Source, blob_id
from citectx.errors import CitectxError, DataError, MissingDataError
from tests.corpora.test_sources import ONE, data, fetch, nothing_left, sample, shelf  # noqa: F401

BODY = b"gamma\n" * 2000
OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: 12000\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
ZIPPED = OK + b"Content-Encoding: gzip\r\n"

Answer = Callable[[bytes], None]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Answer]:
    """Set the bytes with which a server answers whatever it is asked."""
    answers: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):  # until it is closed
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):  # the client may have had enough
                    connection.settimeout(10)
                    connection.recv(1 << 16)
                    connection.sendall(answers[-1])

    threading.Thread(target=serve, daemon=True).start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(facts, "GITHUB_RAW", f"http://127.0.0.1:{server.getsockname()[1]}")
    monkeypatch.setattr("time.sleep", lambda _: None)
    yield answers.append
    server.close()


@pytest.fixture
def one_file(sample: Source, monkeypatch: pytest.MonkeyPatch) -> Source:  # noqa: F811
    """A source of one file."""
    member = Member(f"{ONE}/c.txt", len(BODY), blob_id(BODY))
    monkeypatch.setitem(vars(sample), "members", (member,))
    return sample


def to(address: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + address + b"\r\n\r\n"


NO_ANSWERS = {
    "a length that is no number": OK + b"Content-Length: abc\r\n\r\n" + BODY,
    "two lengths": OK + b"Content-Length: 5, 6\r\n\r\n" + BODY,
    "a length that is too long": OK + b"Content-Length: 99999999999999\r\n\r\n" + BODY,
    "no gzip": ZIPPED + LENGTH + b"\r\n" + BODY,
    "a chunk without number": CHUNKED + b"xyz\r\n" + BODY,
    "a negative chunk": CHUNKED + b"-5\r\n" + BODY,
    "a chunk that is cut": CHUNKED + b"5\r\nga",
    "no http": b"gamma\r\n\r\n",
    "nothing": b"",
    "a long header": OK + b"X: " + b"a" * 70_000 + b"\r\n\r\n" + BODY,
    "many headers": OK + b"X: a\r\n" * 300 + b"\r\n" + BODY,
    "server error": b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
    "too many requests": b"HTTP/1.1 429 No\r\nRetry-After: 999999\r\nContent-Length: 0\r\n\r\n",
    "to a file": to(b"file:///etc/hostname"),
    "to ftp": to(b"ftp://127.0.0.1/c.txt"),
    "to data": to(b"data:,gamma"),
    "to half an address": to(b"http://[::1"),
    "to an empty label": to(b"http://a..b/"),
    "to a port too far": to(b"http://127.0.0.1:99999/"),
    "to a long name": to(b"http://" + b"a" * 60_000),
    "to bytes": to(b"\xff\xff"),
    "to nobody": to(b"http://127.0.0.1:1/c.txt"),
    "to itself": to(b"/"),
}
OTHER_FILES = {
    "a gzip that is cut": ZIPPED + b"Content-Length: 20\r\n\r\n" + gzip.compress(BODY)[:20],
    "of the same length": OK + LENGTH + b"\r\n" + BODY[::-1],
    "too short": OK + b"Content-Length: 2\r\n\r\n" + BODY,
    "without a length": OK + b"\r\n" + BODY[:-1],
    "of no length": OK + b"Content-Length: 0\r\n\r\n",
    "part of a range": b"HTTP/1.1 206 Part\r\nContent-Range: bytes 3-9/9\r\n\r\n" + BODY[3:],
    "no content": b"HTTP/1.1 204 None\r\n\r\n",
    "of an unknown packing": OK + b"Content-Encoding: zz\r\n\r\n" + gzip.compress(BODY),
    "a redirection to nowhere": to(b""),
}
TOO_LONG = {
    "by a byte": OK + b"\r\n" + BODY + b"!",
    "packed": ZIPPED + b"\r\n" + gzip.compress(bytes(10_000_000)),
}
CASES = [
    *(
        (what, sent, MissingDataError, "could not be downloaded")
        for what, sent in NO_ANSWERS.items()
    ),
    *((what, sent, DataError, "was changed or cut") for what, sent in OTHER_FILES.items()),
    *((what, sent, CitectxError, "is larger than the 12,000") for what, sent in TOO_LONG.items()),
]


@pytest.mark.parametrize(
    ("sent", "kind", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_an_answer_that_is_not_the_file(
    one_file: Source,
    answer: Answer,
    data: Path,  # noqa: F811
    sent: bytes,
    kind: type[CitectxError],
    message: str,
) -> None:
    answer(sent)
    with pytest.raises(kind, match=rf"^http://127.0.0.1:\d+/octo.*{message}") as raised:
        fetch(one_file)
    assert len(str(raised.value)) < 1_000
    assert nothing_left(data)


@pytest.mark.parametrize(
    "sent",
    [
        OK + LENGTH + b"\r\n" + BODY,
        OK + b"\r\n" + BODY,
        OK + b"Content-Length: -5\r\n\r\n" + BODY,
        OK + LENGTH + b"\r\n" + BODY + b"and on",
        ZIPPED + b"\r\n" + gzip.compress(BODY),
        CHUNKED + b"2ee0\r\n" + BODY + b"\r\n0\r\n\r\n",
        OK + b"\xff: \xff\r\n\r\n" + BODY,
    ],
)
def test_an_answer_with_the_file_in_it(one_file: Source, answer: Answer, sent: bytes) -> None:
    answer(sent)
    assert (fetch(one_file) / ONE / "c.txt").read_bytes() == BODY
