"""A child process and the messages to and from it over its pipes. Every wait has an end; knows no method.

Reading and writing go on together, so that a server that writes before it reads on blocks nobody.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_CHUNK = 1 << 16
_HEAD = 1 << 16
_BODY = 1 << 28
_TOLD = 400  # characters of a server's last words that are shown


class Failed(Exception):
    """A server is of no use: `slow` or dead. The text says it in words that go behind its name."""

    def __init__(self, why: str, *, slow: bool = False) -> None:
        super().__init__(why)
        self.slow = slow


class Wire:
    """One process. `deadline` is the moment (of the monotonic clock) at which whatever is under way fails as slow."""

    def __init__(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        try:
            self.process = subprocess.Popen(  # noqa: S603 - the table of servers says what is run
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise Failed(f"cannot be started: {getattr(error, 'strerror', None) or error}") from None
        self.deadline = time.monotonic() + 10
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._to, self._from, self._words = (
            stream.fileno() for stream in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        for descriptor in (self._to, self._from, self._words):
            os.set_blocking(descriptor, False)
        self._waiting = bytearray()
        self._read = bytearray()
        self._last_words = b""
        self._open = {self._from, self._words}

    def send(self, message: Mapping[str, Any]) -> None:
        """Put a message on its way; what doesn't fit into the pipe goes while the next answer is waited for."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._waiting += b"Content-Length: %d\r\n\r\n" % len(body) + body
        self._exchange(0)

    def receive(self, until: float | None = None) -> dict[str, Any] | None:
        """The next message; None where none has come by `until`. Failed at the deadline, or if the server has died."""
        while True:
            found = self._message()
            if found is not None:
                return found
            now = time.monotonic()
            if now >= self.deadline:
                raise Failed("did not answer in time", slow=True)
            if until is not None and now >= until:
                return None
            if self._from not in self._open:
                raise self._dead()
            self._exchange(min(self.deadline, until or self.deadline) - now)

    def close(self) -> None:
        """End the process, and those it started."""
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except OSError:
            pass
        self.process.wait()

    def _message(self) -> dict[str, Any] | None:
        """The first whole message of what was read."""
        end = self._read.find(b"\r\n\r\n", 0, _HEAD)
        if end < 0:
            if len(self._read) >= _HEAD:
                raise Failed("writes what is no message")
            return None
        head = bytes(self._read[:end]).lower().split(b"\r\n")
        sizes = [line[15:].strip() for line in head if line.startswith(b"content-length:")]
        if len(sizes) != 1 or not sizes[0].isdigit() or len(sizes[0]) > 9 or int(sizes[0]) > _BODY:
            raise Failed("writes what is no message")
        start, stop = end + 4, end + 4 + int(sizes[0])
        if len(self._read) < stop:
            return None
        body = bytes(self._read[start:stop])
        del self._read[:stop]
        try:
            message = json.loads(body)
        except ValueError:
            raise Failed("writes what is no JSON") from None
        if not isinstance(message, dict):
            raise Failed("writes what is no message")
        return message

    def _exchange(self, seconds: float) -> None:
        """Wait until something can be read or written, and do it."""
        poll = select.poll()
        for descriptor in self._open:
            poll.register(descriptor, select.POLLIN)
        if self._waiting:
            poll.register(self._to, select.POLLOUT)
        for descriptor, _ in poll.poll(max(seconds, 0) * 1000):
            if descriptor == self._to:
                self._write()
            else:
                self._take(descriptor)

    def _write(self) -> None:
        try:
            sent = os.write(self._to, self._waiting[:_CHUNK])
        except BlockingIOError:
            return
        except OSError:
            self._waiting.clear()  # it has died, which reading will tell
            return
        del self._waiting[:sent]

    def _take(self, descriptor: int) -> None:
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._open.discard(descriptor)
        elif descriptor == self._from:
            self._read += data
        else:
            self._last_words = (self._last_words + data)[-4 * _TOLD :]

    def _dead(self) -> Failed:
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return Failed("has closed its output")
        if self._words in self._open:
            self._exchange(0)
        said = " ".join(self._last_words.decode("utf-8", "replace").split())[-_TOLD:]
        return Failed(f"has died ({code})" + (f": {said}" if said else ""))
