"""The tolerant YAML reader: what it reads, what it refuses, and that it agrees with PyYAML wherever that accepts."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from anypatch.formats.chunk.yaml import Document, Mapping, Node, Scalar, Sequence, read
from anypatch.text import patch_lines

Tree = object


def tree(node: Node | None) -> Tree:
    if isinstance(node, Mapping):
        return {key: tree(value) for key, value in node.items.items()}
    if isinstance(node, Sequence):
        return [tree(item) for item in node.items]
    return node.text if node is not None else None


def reading(text: str) -> Document:
    return read(patch_lines(text))


# ── reads as ─────────────────────────────────────────────────────────────────────────────────────

# text, tree: PyYAML's BaseLoader gives the same, and no note is made.
STANDARD = [
    ("", None),
    ("# nothing\n\n", None),
    ("---\n", ""),
    ("a: 007\nb: no\nc: 1.0\nd: ~\n", {"a": "007", "b": "no", "c": "1.0", "d": "~"}),
    ("a:\nb:\n", {"a": "", "b": ""}),
    ("a:\n- x\n- y\nb: c\n", {"a": ["x", "y"], "b": "c"}),
    ("a:\n  - x\n  -\n  - - y\n    - z\n", {"a": ["x", "", ["y", "z"]]}),
    ("- a: 1\n  b: 2\n-   c: 3\n    d: 4\n", [{"a": "1", "b": "2"}, {"c": "3", "d": "4"}]),
    ("-\n  a: b\n-\n  c\n", [{"a": "b"}, "c"]),
    ("'a b': c\n\"d\\te\" : f\ng h : i\n", {"a b": "c", "d\te": "f", "g h": "i"}),
    ("a::b: c:d\nhttp://x: y\n", {"a::b": "c:d", "http://x": "y"}),
    ("---\na: b\n...\n", {"a": "b"}),
    ("--- # c\na: b\n", {"a": "b"}),
    ("--- [a]\n", ["a"]),
    ("a: |\n  x\n\n   y\n\nb: |-\n  x\n\n", {"a": "x\n\n y\n", "b": "x"}),
    ("a: |+\n  x\n\nb: |+\n  y\n\n", {"a": "x\n\n", "b": "y\n\n"}),
    ("a: |2-  # c\n    x\n   y\n", {"a": "  x\n y"}),
    ("a: |-2\n   x\nb: >+1\n x\n y\n\n", {"a": " x", "b": "x y\n\n"}),
    ("a: |\n  x", {"a": "x"}),
    ("a: |-\n  # no comment\n  x # y\n", {"a": "# no comment\nx # y"}),
    ("a: |-\n  \tx\n  y\n", {"a": "\tx\ny"}),
    ("a: >\n  x\n  y\n\n  z\n    deep\n  w\n", {"a": "x y\nz\n  deep\nw\n"}),
    ("a: b\n  c\n\n  d\ne: f\n", {"a": "b c\nd", "e": "f"}),
    ("a: b\n  - c\n", {"a": "b - c"}),
    ("a: 'b\n  c\n\n  d''e'\n", {"a": "b c\nd'e"}),
    ('a: "b \\\n   c\\n\n  d"\n', {"a": "b c\n d"}),
    (
        r'a: "\x41\u00e9\U0001F600\e\/\_\N\L\P\0\a\b\t\v\f\r\"\\\ "' + "\n",
        {"a": 'Aé\U0001f600\x1b/\xa0\x85\u2028\u2029\0\a\b\t\v\f\r"\\ '},
    ),
    ("a: {b: c, d: [e, f g], 'h': \"i\", j}\n", {"a": {"b": "c", "d": ["e", "f g"], "h": "i", "j": ""}}),
    ("a: [b, d,\n# comment\n  e\n  f, {}, [], ]\n", {"a": ["b", "d", "e f", {}, []]}),
    ('{"a":1,"b":[true,null,{"c":"d\\n"}]}', {"a": "1", "b": ["true", "null", {"c": "d\n"}]}),
    ("- -1\n- ?x\n- :y\n- a#b\n- 'x' # c\n", ["-1", "?x", ":y", "a#b", "x"]),
    ("  a: b\n  c:\n    d: e\n", {"a": "b", "c": {"d": "e"}}),
]


@pytest.mark.parametrize(("text", "wanted"), STANDARD)
def test_reads_standard_yaml(text: str, wanted: Tree) -> None:
    document = reading(text)
    assert (tree(document.root), document.problems, document.notes) == (wanted, (), ())
    assert yaml.load(text, yaml.BaseLoader) == wanted


def one(value: str) -> str:
    return f"- marker: {value}\n  payload: y\n"


# The value after `marker: `, the text it is read as, words of the note. PyYAML refuses each of them.
LENIENT = [
    ("foo: bar", "foo: bar", "': '"),
    ("fix: it # now", "fix: it", "': '"),
    ("else:", "else:", "ends in ':'"),
    (": x", ": x", "begins with ':'"),
    ("@decorator", "@decorator", "begins with '@'"),
    ("`code`", "`code`", "begins with '`'"),
    ("%d items", "%d items", "begins with '%'"),
    ("*ptr = 1;", "*ptr = 1;", "begins with '*'"),
    ("&&x", "&&x", "begins with '&'"),
    ("&f(x);", "&f(x);", "begins with '&'"),
    ("- x", "- x", "begins with '-'"),
    ("-", "-", "begins with '-'"),
    ("? x", "? x", "begins with '?'"),
    ("|x| > 3", "|x| > 3", "begins with '|'"),
    ("> 3", "> 3", "begins with '>'"),
    ("!= 3", "!= 3", "begins with '!'"),
    ("}", "}", "begins with '}'"),
    (", x", ", x", "begins with ','"),
    ("{", "{", "brackets"),
    ("[x for x in y", "[x for x in y", "brackets"),
    ("[x] + [y]", "[x] + [y]", "closing quote or bracket"),
    ("[*p for p in q]", "[*p for p in q]", "brackets"),
    ("{a: b: c}", "{a: b: c}", "brackets"),
    ('["a', '["a', "brackets"),
    ('"a" + "b"', '"a" + "b"', "closing quote"),
    ("'a': b", "'a': b", "closing quote"),
]


@pytest.mark.parametrize(("value", "wanted", "note"), LENIENT)
def test_reads_leniently_with_a_note(value: str, wanted: str, note: str) -> None:
    text = one(value)
    document = reading(text)
    assert (tree(document.root), document.problems) == ([{"marker": wanted, "payload": "y"}], ())
    assert note in document.notes[0].text or note in document.notes[-1].text
    assert {n.patch_line for n in document.notes} == {1}
    if value[0] != "!":  # a tag without a name to PyYAML, which would drop the sign
        with pytest.raises(yaml.YAMLError):
            yaml.load(text, yaml.BaseLoader)


@pytest.mark.parametrize(
    ("text", "wanted", "line", "note"),
    [
        ("a: b # c\nd: e\n", {"a": "b", "d": "e"}, 1, "read as a comment"),
        ("a:\n  - |\n     x\n   # c\n", {"a": ["x\n"]}, 0, ""),
        ("a: |-\n         \n    x\n", {"a": "     \nx"}, 0, ""),
        ("a:\tb\nc: d\te\n", {"a": "b", "c": "d\te"}, 0, ""),
        ('{\n\t"a": "\\ud83d\\ude00"\n}\n', {"a": "\U0001f600"}, 0, ""),
        ("a: b\n\t\nc: d\n", {"a": "b", "c": "d"}, 0, ""),
        ("[a?, ?b]\n", ["a?", "?b"], 0, ""),
    ],
)
def test_other_readings(text: str, wanted: Tree, line: int, note: str) -> None:
    document = reading(text)
    assert (tree(document.root), document.problems) == (wanted, ())
    assert [n.patch_line for n in document.notes] == ([line] if line else [])
    assert all(note in n.text for n in document.notes)


def test_lines_and_styles() -> None:
    document = read(["a: b", "c:", "  - 'd'", "  - |", "    e", "f:"], first=10)
    assert document.root == Mapping(
        {
            "a": Scalar("b", 10, "plain"),
            "c": Sequence([Scalar("d", 12, "quoted"), Scalar("e\n", 13, "block")], 11),
            "f": Scalar("", 15, "empty"),
        },
        10,
    )


# ── refused with ─────────────────────────────────────────────────────────────────────────────────

# text, patch line, words of the detail, words of the advice
REFUSED = [
    ("- path: a\n  op: x\n  path: b\n  op: y\n", 3, "line 1 appears again on line 3", "'-' missing before line 3"),
    ("a: {b: 1, b: 2}\n", 1, "'b' of line 1 appears again", "new '{'"),
    ("- a: &b c\n", 1, "'&b' as an anchor", "quotes"),
    ("- a: *b\n", 1, "alias", "'|-'"),
    ("- a: !x y\n", 1, "tag", ""),
    ("- a: [*b]\n", 1, "alias", ""),
    ("a: b\n---\nc: d\n", 2, "second document", "one 'operations:'"),
    ("a: b\n---\n", 2, "second document", ""),
    ("a: b\n...\nc: d\n", 3, "doesn't belong", "Indent"),
    ("- a: \"b\n- c: 'd\n", 1, "opened on line 1 is not closed", "Close"),
    ('a: "b\nc: d\ne: "f"\n', 1, "opened on line 1 is not closed", "Close"),
    ("- {a: b\n- c\n", 1, "opened on line 1 is not closed", "Close"),
    ("a: [\n  {b: c},\n", 1, "opened on line 1 is not closed", "Close"),
    ("? a\n: b\n", 1, "begins with '?'", ""),
    ("a: b\n? c\n", 2, "'? c' is not a 'key: value' line", "key: value"),
    ("- a: |-\n      x\n    b: |-\n        y\n", 3, "indented by 4", "as its first line"),
    ("- a: |-\n      deep\n    less\n", 3, "indented by 4", "as its first line"),
    ("- a: b\n    c: d\n", 2, "indented by 4", "like the keys beside"),
    ("- a: 'b'\n   c: d\n", 2, "indented by 3", "like the keys beside"),
    ("- a: b\n c: d\n", 2, "indented by 1", "'-'"),
    ("a:\n  - b: c\n  d: e\n", 3, "indented by 2", "'-'"),
    ("a:\n  - b: c\n    d\n", 3, "'d' is no", "'key: value'"),
    ("c: d\na:b\n", 2, "'a:b' is not a 'key: value' line", "key: value"),
    ("a: b\n- c\n", 2, "'- c' is not a 'key: value' line", ""),
    ("Here you are\noperations:\n- a: b\n", 2, "doesn't belong", ""),
    ("a: b\n\tc: d\n", 2, "tab", "spaces"),
    ("- a: |\n    x\n\ty\n", 3, "tab", "spaces"),
    ("- a: |\n\tx\n", 2, "isn't indented deeper", ""),
    ('- a: "\\d+"\n', 1, "\\d is not an escape", "'|-'"),
    ('- b: "\\ud83d"\n', 1, "\\ud83d", ""),
    ('- c: "\\x4"\n', 1, "\\x", ""),
    ('- d: "\\U00110000"\n', 1, "\\U00110000", ""),
    ("- a: |-\ndef f():\n    pass\n", 2, "isn't indented deeper than its key", '""'),
    ("- a: |-\n#include <x>\n", 2, "isn't indented deeper than its key", "Indent the text"),
    ("- a: |4\n    x\n", 2, "indented by 4", ""),
    ("- a: else:\n    x\n", 2, "text of line 1", "'|-'"),
    ("- a: b # c\n    d\n", 2, "after a comment", "'|-'"),
    ('- a: "b" + c\n    d\n', 2, "text of line 1", "'|-'"),
    ("- a: 'b' # c\n    d: e\n", 2, "indented by 4", ""),
    ("- 'a' b\n", 1, "more text follows", "quotes"),
    ("- @a: b\n", 1, "neither", "quotes"),
    ("%YAML 1.1\n---\na: b\n", 1, "begins with '%'", ""),
    ("[" * 40, 1, "nested deeper than 32", "Nest less"),
    ("- " * 40, 1, "nested deeper than 32", "Nest less"),
    ("- a: " + "[" * 40, 1, "nested deeper than 32", ""),
    ("".join(" " * i + "a:\n" for i in range(40)), 33, "nested deeper than 32", "Nest less"),
]


@pytest.mark.parametrize(("text", "line", "detail", "advice"), REFUSED)
def test_refuses(text: str, line: int, detail: str, advice: str) -> None:
    document = reading(text)
    assert document.root is None
    (problem,) = document.problems
    assert (problem.kind, problem.patch_line) == ("bad_patch", line)
    assert detail in problem.detail
    assert advice in problem.advice
    assert problem.advice


# ── PyYAML as the oracle ─────────────────────────────────────────────────────────────────────────

# Where PyYAML accepts and this reader refuses, on purpose:
REFUSED_ON_PURPOSE = (
    "appears again",  # duplicate keys: a lost '-' must not lose an operation
    "an anchor, alias or tag",  # nobody intends them in a patch; the text itself would be changed
    "begins with '?'", "begin with '?'",  # complex keys
    "begins with '%'",  # directives
    "nested deeper than",  # bounded recursion
    "isn't indented deeper than its key",  # an empty block text before '#' or an odd line: lost indentation
    "is not closed",  # a quoted text with a line at or left of its own key: a forgotten quote
    "is missing before ':'",  # a pair in a flow sequence: `[a: b]`
    "not an escape",  # half of a surrogate pair isn't text
)  # fmt: skip
# Read otherwise, on purpose: only LF ends a line (so CR, NEL, LS and PS are not generated); '?' in a flow collection is
# text, as in YAML 1.2 (PyYAML makes `[?b]` a mapping); two escapes that are a surrogate pair are one sign, as in JSON;
# below a blank line with too many spaces, a block text may begin with '#' (PyYAML: an empty text and a comment);
# a `|` or `>` on a line of its own and complex keys are refused.


def agree(text: str) -> None:
    try:
        wanted = yaml.load(text, yaml.BaseLoader)
    except (yaml.YAMLError, ValueError):
        return
    document = reading(text)
    if any(words in p.detail for p in document.problems for words in REFUSED_ON_PURPOSE):
        return
    if re.search(r"^ *[|>]|^[ -]*\? |[|>][-+0-9]*\n(?: *\n)* +\n", text, re.MULTILINE):
        return
    if any("the brackets hold no YAML collection" in n.text for n in document.notes):
        return  # a flow collection with a line at or left of its key, as YAML 1.2 forbids it
    assert document.problems == ()
    assert tree(document.root) == wanted


SIGNS = st.characters(exclude_characters="\r\x85\u2028\u2029\ufeff", exclude_categories=["Cs"])
TEXTS = st.one_of(
    st.text(SIGNS, max_size=12),
    st.text("ab \n\t:#-'\"\\[]{},&*!|>%@`?é", max_size=16),
    st.lists(st.sampled_from(["a", "word", "", "  deep", "# x", "- y", "k: v", "tail "]), max_size=6).map("\n".join),
)
TREES = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(
    TREES,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([1, 20, 80, 10_000]),
    st.integers(2, 6),
    st.booleans(),
)
def test_reads_what_pyyaml_writes(
    value: Tree, style: str | None, flow: bool | None, width: int, indent: int, plainly: bool
) -> None:
    text = yaml.dump(
        value,
        Dumper=PlainDumper,
        default_style=style,
        default_flow_style=flow,
        width=width,
        indent=indent,
        allow_unicode=plainly,
        explicit_start=plainly,
    )
    if "{? " not in text:  # `?` in a flow collection is text here: models write `a ? b : c`, never complex keys
        agree(text)


class PlainDumper(yaml.SafeDumper):
    """Writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


@settings(max_examples=80, deadline=None)
@given(TREES, st.sampled_from([None, 2]))
def test_reads_json(value: Tree, indent: int | None) -> None:
    document = reading(json.dumps(value, indent=indent))
    assert (tree(document.root), document.problems, document.notes) == (value, (), ())


FRAGMENTS = [
    "a: b", "a:", "b: c", "c :  d", "- a", "- a: b", "- ", "-", "- - a", "a: |", "b: |-", "c: >", "d: >+",
    "- |2", "e: |1+", "a: 'b", "b'", 'c: "d', 'e"', "'f': g", "\"h\" : 'i'", "text", "more text", "# c",
    "x # c", "", " ", "   ", "    ", "a: [b", "c]", "[d, e]", "{f: g", "h: i}", ",", "}", "{j: [k], l}",
    "---", "...", "--- |", "|", ">-", "x:y", "- b: - c", "a: b: c", "k: 'l' # m", "\\", '"\\', "'it''s'",
    "[a: b, c]", "#x", "a: # c", "é: ü", "1: 2", "%x", "[ # c", "a:  ", "\t", "a: \tb",
]  # fmt: skip
LINES = st.tuples(st.sampled_from([0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 6]), st.sampled_from(FRAGMENTS)).map(
    lambda pair: " " * pair[0] + pair[1]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6).map("\n".join), st.sampled_from(["", "\n", "\n\n"]))
def test_agrees_with_pyyaml_on_raw_lines(text: str, end: str) -> None:
    agree(text + end)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["", "a: ", "- ", "a:\n  ", "- a: "]), st.text("ab \n:#-'\"\\[]{},|>n2+", max_size=14))
def test_agrees_with_pyyaml_on_raw_signs(head: str, text: str) -> None:
    agree(head + text)


@settings(max_examples=200, deadline=None)
@given(st.text("ab\t\n :#-'\"\\[]{},&*!|>%@`?é\r\x00", max_size=40) | st.text(max_size=40), st.integers(1, 9))
def test_never_raises(text: str, first: int) -> None:
    document = read(text.split("\n"), first)
    last = first + text.count("\n")
    assert all(p.kind == "bad_patch" and p.detail and p.advice for p in document.problems)
    places = [p.patch_line for p in document.problems] + [n.patch_line for n in document.notes]
    assert all(first <= line <= last for line in places)


def test_reads_nothing_from_nothing() -> None:
    assert read([]) == Document(None, (), ())


# ── cost ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "x" * 1_000_000,
        'a: "' + "\\n" * 40_000,
        "a: [" + "x, " * 40_000,
        "\n".join(f"k{i}: v" for i in range(8_000)),
        "[" * 1_000_000,
        "- " * 200_000,
        "a:\n  b: c" + "\n" * 200_000 + "d: e",
        "\n".join(f"k{i}: [x" for i in range(8_000)),
        "\n".join(f"k{i}: ['x" for i in range(8_001)),
        "- [x,\n  'a\n" * 8_000,
        '- a: "x\n' * 8_000,
        "- a: |\n     b\n    c\n" * 10_000,
        "a: |\n" + "\t" * 200_000 + "x\n" + "\t" * 200_000 + "y",
    ],
    ids=lambda text: re.sub(r"\s+", " ", text[:12]),
)
def test_cost_is_linear(text: str) -> None:
    reading(text)
