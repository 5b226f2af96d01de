"""Calls with an idempotency key, in threads as the server runs them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from anypatch.mcp import finished
from anypatch.mcp.finished import FinishedCalls, ToolResult
from anypatch.problems import Refused


def written(number: int) -> ToolResult:
    return ToolResult({"written": True}, f"result {number}")


def test_a_repeated_call_waits_for_the_first_and_gets_its_result() -> None:
    calls, begun, go, runs = FinishedCalls(), threading.Event(), threading.Event(), list[int]()

    def slow() -> ToolResult:
        runs.append(1)
        begun.set()
        assert go.wait(10)
        return written(len(runs))

    with ThreadPoolExecutor() as pool:
        first = pool.submit(calls.once, "k", "a", slow)
        assert begun.wait(10)
        others = [pool.submit(calls.once, "k", "a", slow) for _ in range(3)]
        assert not any(other.done() for other in others)
        go.set()
        assert {one.result(10).text for one in (first, *others)} == {"result 1"}
    assert runs == [1]


def test_a_call_that_wrote_nothing_may_be_made_again() -> None:
    calls = FinishedCalls()
    refused = ToolResult({"written": False}, "refused", True)
    assert calls.once("k", "a", lambda: refused) is refused
    with pytest.raises(OSError, match="disk"):
        calls.once("k", "a", lambda: (_ for _ in ()).throw(OSError("disk")))
    assert calls.once("k", "b", lambda: written(2)).text == "result 2"
    with pytest.raises(Refused, match="different call"):
        calls.once("k", "a", lambda: written(3))


def test_one_that_waits_runs_if_the_first_wrote_nothing() -> None:
    calls, begun, go = FinishedCalls(), threading.Event(), threading.Event()

    def refused() -> ToolResult:
        begun.set()
        assert go.wait(10)
        return ToolResult({"written": False}, "refused", True)

    with ThreadPoolExecutor() as pool:
        first = pool.submit(calls.once, "k", "a", refused)
        assert begun.wait(10)
        second = pool.submit(calls.once, "k", "a", lambda: written(2))
        go.set()
        assert (first.result(10).text, second.result(10).text) == ("refused", "result 2")


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished, "_KEPT", 3)
    calls = FinishedCalls()
    for number in range(10):
        calls.once(str(number), "a", lambda number=number: written(number))  # type: ignore[misc]
    assert calls.once("9", "a", lambda: written(0)).text == "result 9"
    assert calls.once("1", "a", lambda: written(0)).text == "result 0", "forgotten"
