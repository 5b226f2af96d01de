"""Where fences open and close."""

from __future__ import annotations

from anypatch.answer.fences import bodies, contents, fence_of, fences, run_end, unwrapped


def test_a_fence_has_a_run_an_indentation_and_an_info_string() -> None:
    fence = fence_of('  ````python title="a.py"')
    assert fence is not None and (fence.run, fence.indent, fence.language) == ("````", 2, "python")
    assert fence_of("~~~") is not None and fence_of("``x``") is None and fence_of("```a`b") is None


def test_a_fence_closes_with_as_many_signs_and_no_deeper() -> None:
    region = contents(["````", "```", "x", "   ````", "````", "y"], 0)
    assert region is not None and region.closed and region.body == ["```", "x", "   ````"]


def test_a_fence_that_never_closes_goes_to_the_end() -> None:
    region = contents(["```", "x"], 0)
    assert region is not None and not region.closed and region.body == ["x"]
    assert contents(["x"], 0) is None


def test_fences_of_a_text() -> None:
    lines = ["```", "a", "```", "text", "~~~", "b", "~~~"]
    assert [region.body for region in fences(lines)] == [["a"], ["b"]]
    assert unwrapped(lines) is None
    inner = unwrapped(["", "```", "a", "```", ""])
    assert inner is not None and inner.body == ["a"]


def test_lines_of_a_format_are_in_fences_or_from_the_first_on() -> None:
    lines = ["text", "```", "x: 1", "```"]
    (fenced,) = bodies("\n".join(lines), lines, lambda line: line.startswith("x:"))
    assert (fenced.first, fenced.lines, fenced.fenced, fenced.cut) == (3, ["x: 1"], True, False)
    (bare,) = bodies("text\nx: 1\ny", ["text", "x: 1", "y"], lambda line: line.startswith("x:"))
    assert (bare.first, bare.lines, bare.fenced) == (2, ["x: 1", "y"], False)


def test_a_run_ends_before_blank_lines() -> None:
    assert run_end(["a", "b", "", "", "c."], 0, lambda line: not line.endswith(".")) == 2
    assert run_end(["a", "+x.", "y."], 0, lambda line: not line.endswith("."), signs="+") == 2
