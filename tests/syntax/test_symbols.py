"""Symbols: outlines of every language, spans, name paths, positions; whole-symbol edits; the commands that show them."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import pytest

import anypatch
from anypatch.symbols import Pos
from anypatch.syntax import check, grammars
from anypatch.syntax.symbols import escaped
from anypatch.text import hash_of
from support.damage import damaged, rows_of

# path, text, "name_path kind first-last" of every symbol
OUTLINES = [
    ("a.py", "@d\nclass A:\n    x: int = 1\n\n    @p\n    async def f(self):\n        y = 1\n\n        def g():\n            pass\n\n\nif B:\n    def h(): pass\nK = 2\n",
     "A class 2-11|A/x variable 4-4|A/f method 6-11|A/f/g function 10-11|h function 15-15|K variable 16-16"),
    ("a.ts", "@Dec()\nexport class A {\n  @x() f = 1;\n  @y()\n  k() {}\n  m(a: string): void;\n  m(a: any) { const z = 1; }\n}\nexport const g = () => {\n  const w = 1;\n};\ninterface I { p: string; q(): void }\nnamespace N { export enum E { X, Y } }\ntype T = string;\n",
     "A class 2-9|A/f field 4-4|A/k method 5-6|A/m[0] method 7-7|A/m[1] method 8-8|g function 10-12|I interface 13-13|I/p field 13-13|I/q method 13-13|N namespace 14-14|N/E enum 14-14|T type 15-15"),
    ("a.tsx", "export default function App() {\n  return <div>{x}</div>;\n}\n", "App function 2-4"),
    ("a.js", "class A {\n  #p = 1;\n  static s() {}\n}\nfoo(() => { const x = 1; });\nfunction* g() {}\n",
     "A class 2-5|A/#p field 3-3|A/s method 4-4|g function 7-7"),
    ("A.java", "@Ann\npublic class A<T> {\n  private int a = 1, b;\n  A() {}\n  @Override\n  public int of(int i) { return 1; }\n  enum E { F, G { void q() {} }; int c() { return 2; } }\n  record R(int a) { R { } }\n}\n",
     "A class 2-10|A/a field 4-4|A/b field 4-4|A/A constructor 5-5|A/of method 6-7|A/E enum 8-8|A/E/F member 8-8|A/E/G member 8-8|A/E/G/q method 8-8|A/E/c method 8-8|A/R record 9-9|A/R/R constructor 9-9"),
    ("a.c", "#define N 1\nstruct S { int x; };\ntypedef struct { int y; } T;\nint *f(void)\n{\n  int local;\n}\nint g(int);\nstatic int v, w;\n",
     "N macro 2-2|S struct 3-3|S/x field 3-3|T type 4-4|T/y field 4-4|f function 5-8|g function 9-9|v variable 10-10|w variable 10-10"),
    ("a.cpp", "namespace n::m {\ntemplate <class T>\nclass Box : B {\n public:\n  Box();\n  ~Box();\n  int w_, h_;\n  int f() const { return 1; }\n};\n}\nn::m::Box::~Box() {}\nbool operator==(const B& a, const B& b) { return 1; }\nB& B::operator/(int) { return *this; }\n",
     "n/m namespace 2-11|n/m/Box class 3-10|n/m/Box/Box method 6-6|n/m/Box/~Box[0] method 7-7|n/m/Box/w_ field 8-8|n/m/Box/h_ field 8-8|n/m/Box/f method 9-9|n/m/Box/~Box[1] method 12-12|operator== function 13-13|B/operator~1 method 14-14"),
    ("a.go", "package a\n\ntype Foo struct {\n\ta int\n}\n\nfunc (f *Foo) M() {}\n\nfunc g() {\n\tvar x int\n}\n\nconst C = 1\n",
     "Foo type 4-6|Foo/a field 5-5|Foo/M method 8-8|g function 10-12|C constant 14-14"),
    ("a.rs", "#[derive(Debug)]\npub struct A<T> { x: T }\n\nimpl<T> Tr for A<T> {\n    fn m(&self) {}\n}\n\nmod k { pub fn f() {} }\nenum E { V }\n",
     "A struct 2-3|A/x field 3-3|impl Tr for A<T> impl 5-7|A/m method 6-6|k module 9-9|k/f function 9-9|E enum 10-10|E/V member 10-10"),
    ("a.cs", "namespace N {\n[X]\nclass A {\n  int a;\n  int P { get; set; }\n  A() {}\n  ~A() {}\n  void M() { void L() {} }\n}\nenum E { X1 }\n}\n",
     "N namespace 2-12|N/A class 3-10|N/A/a field 5-5|N/A/P property 6-6|N/A/A constructor 7-7|N/A/~A constructor 8-8|N/A/M method 9-9|N/A/M/L function 9-9|N/E enum 11-11|N/E/X1 member 11-11"),
    ("a.rb", "module M\n  class A < B\n    X = 1\n    def f\n      y = 1\n    end\n    def self.g; end\n  end\nend\n",
     "M module 2-10|M/A class 3-9|M/A/X constant 4-4|M/A/f method 5-7|M/A/g method 8-8"),
    ("a.php", "<?php\n#[At]\nclass C {\n  public $a;\n  const K = 1;\n  function f() {}\n}\nenum E { case X; }\nfunction g() {}\n",
     "C class 3-8|C/$a field 5-5|C/K constant 6-6|C/f method 7-7|E enum 9-9|E/X member 9-9|g function 10-10"),
    ("a.html", '<div id="main">\n  <p>t</p>\n</div>\n', "div#main element 2-4|div#main/p element 3-3"),
    ("a.xml", "<a>\n  <b/>\n  <b>\n  </b>\n</a>\n", "a element 2-6|a/b[0] element 3-3|a/b[1] element 4-5"),
]  # fmt: skip


def flat(symbols: list[anypatch.Symbol] | tuple[anypatch.Symbol, ...]) -> list[anypatch.Symbol]:
    return [inner for symbol in symbols for inner in (symbol, *flat(symbol.children))]


@pytest.mark.parametrize(("path", "text", "wanted"), OUTLINES, ids=[row[0] for row in OUTLINES])
def test_outlines(path: str, text: str, wanted: str) -> None:
    """With a line before, which is no symbol: a BOM and other line ends change nothing."""
    text = "\n" + text
    for spoken in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.replace("\n", "\r")):
        told = [
            f"{s.name_path} {s.kind} {s.range.start.line + 1}-{s.range.end.line + 1}"
            for s in flat(anypatch.outline(spoken, path=path))
        ]
        assert "|".join(told) == wanted


@pytest.mark.parametrize(("path", "text", "wanted"), OUTLINES, ids=[row[0] for row in OUTLINES])
def test_every_symbol_is_found_by_its_path_and_by_its_place(path: str, text: str, wanted: str) -> None:
    lines = text.split("\n")
    for symbol in flat(anypatch.outline(text, path=path)):
        assert anypatch.find(text, path=path, name_path="/" + symbol.name_path) == symbol
        assert anypatch.find(text, path=path, at=symbol.name_pos) == symbol
        named = lines[symbol.name_pos.line][symbol.name_pos.column :]
        assert (
            symbol.kind in ("impl", "namespace")
            or named.startswith(symbol.name.split("#")[0].lstrip("~"))
            or "~" in symbol.name
        )
        body = "\n".join(lines[symbol.range.start.line : symbol.range.end.line + 1])
        assert anypatch.read(symbol) == (body, hash_of(body), "\n")


def test_agrees_with_ast_on_real_files() -> None:
    """Name, first and last line of every class and function of this package."""
    for file in sorted((Path(__file__).parent.parent.parent / "src").rglob("*.py")):
        text = file.read_text()
        ours = {
            (s.row + 1, s.name, s.first + 1, s.last + 1)
            for s in rows_of("a.py", text)
            if s.kind in ("class", "function", "method")
        }
        theirs = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                theirs.add((node.lineno, node.name, first, node.end_lineno))
        assert ours == theirs, file


# ── names ────────────────────────────────────────────────────────────────────────────────────────

NAMES = """class A:
    def f(self): pass
    def f(self, x): pass
    class B:
        def f(self): pass


class B:
    def g(self): pass


def f(): pass
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("A/f[0]", 2), ("A/f[1]", 3), ("A/B/f", 5), ("/f", 12), ("A.B.f", 5), ("A::B::f", 5), ("B/g", 9), ("g", 9),
        ("/B", 8), ("A/B", 4), ("/A/B/f", 5),
    ],
)  # fmt: skip
def test_name_paths(name: str, line: int) -> None:
    assert anypatch.find(NAMES, path="a.py", name_path=name).range.start.line + 1 == line


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("f", "ambiguous", "4 symbols"), ("A/f", "ambiguous", "A/f[0]"), ("B", "ambiguous", "2 symbols"),
        ("/g", "symbol_not_found", "B/g"), ("A/f[2]", "symbol_not_found", ""), ("ff", "symbol_not_found", ""),
        ("A/ff", "symbol_not_found", "A/f[0]"), ("C/f", "symbol_not_found", ""),
    ],
)  # fmt: skip
def test_names_that_are_none_or_several(name: str, kind: str, said: str) -> None:
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(NAMES, path="a.py", name_path=name)
    problem = caught.value.problems[0]
    assert problem.kind == kind
    assert said in problem.detail + problem.advice


def test_a_position_breaks_a_tie_and_is_nothing_nearby() -> None:
    assert anypatch.find(NAMES, path="a.py", name_path="A/f", at=(2, 8)).name_path == "A/f[1]"
    text = "@d\nclass Äöü𝒳:\n    x = '😀'; y = 1\n"
    assert anypatch.find(text, path="a.py", at=(1, 6)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", at=(1, 10)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", at=(0, 0)).name == "Äöü𝒳"
    assert anypatch.find(text, path="a.py", name_path="y").name_pos == Pos(2, 14)  # 😀 counts as two
    for place in ((1, 5), (1, 11), (0, 1), (2, 0), (9, 9)):
        with pytest.raises(anypatch.PatchError) as caught:
            anypatch.find(text, path="a.py", at=place)
        assert caught.value.problems[0].kind == "symbol_not_found"


@pytest.mark.parametrize("name", ["a/b", "~Box", "~0", "~1", "a~1/b~0", "operator/", "x"])
def test_names_with_signs_of_paths_survive(name: str) -> None:
    from anypatch.syntax.symbols import _step

    assert _step(escaped(name))[0] == name
    assert "/" not in escaped(name)


def test_depth_kinds_language_and_lead() -> None:
    assert [s.name for s in flat(anypatch.outline(NAMES, path="a.py", depth=1))] == ["A", "B", "f"]
    assert [s.name for s in anypatch.outline(NAMES, path="a.py", kinds={"method"})] == ["f", "f", "f", "g"]
    assert [s.name for s in anypatch.outline("int x;\n", language="C++")] == ["x"]
    text = "// far\n\n// one\n// two\nint f() { return 1; }\nint g; // not its own\nint h;\n"
    found = {s.name: s for s in anypatch.outline(text, path="a.cpp")}
    assert anypatch.read(found["f"], lead=True).text == "// one\n// two\nint f() { return 1; }"
    assert anypatch.read(found["f"]).text == "int f() { return 1; }"
    assert found["h"].lead is None
    assert found["f"].inner == ((4, 8), (4, 21))


def test_without_a_grammar() -> None:
    for given in ({"path": "a.txt"}, {"language": "klingon"}, {}):
        with pytest.raises(anypatch.PatchError) as caught:
            anypatch.outline("x", **given)  # type: ignore[arg-type]
        assert caught.value.problems[0].kind == "no_grammar"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grammars._parsers, "go", None)
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.outline("package a\n", path="a.go")
    assert "tree-sitter-go" in caught.value.problems[0].advice
    patch = json.dumps([{"relative_path": "a.go", "name_path": "f", "op": "delete"}])
    problem = anypatch.apply_to(patch, {"a.go": "package a\n"}).problems[0]
    assert (problem.kind, "tree-sitter-go" in problem.advice) == ("no_grammar", True)


# ── whole symbols ────────────────────────────────────────────────────────────────────────────────

SHOP = "import os\n\n\n# a cart\nclass Cart:\n    # adds\n    def add(self, item):\n        return self\n\n    def total(self):\n        return 0\n"


def whole(name: str, op: str, **more: object) -> str:
    return json.dumps({"relative_path": "s.py", "name_path": name, "op": op, **more})


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("patch", "old", "new"),
    [
        (whole("Cart/add", "replace", text="    def add(self):\n        pass\n"),
         "    def add(self, item):\n        return self\n", "    def add(self):\n        pass\n"),
        (whole("Cart/add", "replace", text=["    def add(self):", "        pass"]),
         "    def add(self, item):\n        return self\n", "    def add(self):\n        pass\n"),
        (whole("Cart/add", "delete"), "    def add(self, item):\n        return self\n", ""),
        (whole("Cart/add", "delete", with_lead=True), "    # adds\n    def add(self, item):\n        return self\n", ""),
        (whole("Cart/add", "insert_before", text=["    def x(self): pass", ""]),
         "    # adds\n", "    def x(self): pass\n\n    # adds\n"),
        (whole("Cart/total", "insert_after", text=["", "    def x(self): pass"]),
         "        return 0\n", "        return 0\n\n    def x(self): pass\n"),
        (whole("/Cart", "insert_before", text=["x = 1"]), "# a cart\n", "x = 1\n# a cart\n"),
    ],
)  # fmt: skip
def test_whole_symbols(patch: str, old: str, new: str, eol: str) -> None:
    if eol != "\n":
        said = json.loads(patch)
        if isinstance(said.get("text"), str):
            said["text"] = said["text"].replace("\n", eol)
        patch = json.dumps(said)
    result = anypatch.apply_to(patch, {"s.py": SHOP.replace("\n", eol)}, format="symbol-chunks")
    assert result.ok, result.problems
    assert result.files["s.py"] == SHOP.replace(old, new, 1).replace("\n", eol)


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        (whole("Cart/add", "replace"), "bad_patch"),
        (whole("Cart/add", "replace", text=""), "bad_patch"),
        (whole("Cart/add", "rename", text="x"), "bad_patch"),
        (whole("Cart/add", "replace", text="a\r\nb\r\n"), "line_ending"),
        (whole("Cart/add", "delete", expected_hash="sha256:00"), "stale"),
        (whole("Cart/ad", "delete"), "symbol_not_found"),
        ('{"relative_path": "s.py", "op": "delete", "line": 4}', "bad_patch"),
        ('{"relative_path": "s.py", "op": "delete", "line": -1, "column": 2}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": []}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": [1]}', "bad_patch"),
        ('{"relative_path": 1, "name_path": "Cart", "chunks": [1]}', "bad_patch"),
        ('{"relative_path": "s.py", "name_path": "Cart", "chunks": [{"context_before": 1', "truncated"),
        ('{"relative_path": "t.py", "name_path": "Cart", "op": "delete"}', "file_missing"),
        ('{"relative_path": "../s.py", "name_path": "Cart", "op": "delete"}', "unsafe_path"),
    ],
)  # fmt: skip
def test_whole_symbols_refused(patch: str, kind: str) -> None:
    result = anypatch.apply_to(patch, {"s.py": SHOP}, format="symbol-chunks")
    assert {problem.kind for problem in result.problems} == {kind}
    assert result.files == {"s.py": SHOP}


def test_a_symbol_that_shares_its_line_is_not_cut_out() -> None:
    text = "struct A { int x; int y; };\nint a, b;\n"
    for name in ("A/x", "a"):
        patch = json.dumps({"relative_path": "s.c", "name_path": name, "op": "delete"})
        report = anypatch.apply_to(patch, {"s.c": text})
        assert [problem.kind for problem in report.problems] == ["overlap"]
    chunk = {"context_before": [], "old_lines": ["int a, b;"], "new_lines": ["int a;"], "context_after": []}
    patch = json.dumps({"relative_path": "s.c", "name_path": "a", "chunks": [chunk]})
    assert [p.kind for p in anypatch.apply_to(patch, {"s.c": text}).problems] == ["overlap"]


def test_edits_of_one_file_are_placed_in_the_file_as_it_was() -> None:
    edits = [
        json.loads(whole("Cart/add", "replace", text="    def total(self): pass")),
        json.loads(whole("Cart/total", "delete")),
    ]
    result = anypatch.apply_to(json.dumps(edits), {"s.py": SHOP})
    assert result.files["s.py"].endswith("    # adds\n    def total(self): pass\n\n")  # type: ignore[arg-type]
    edits = [json.loads(whole("Cart", "delete")), json.loads(whole("Cart/total", "delete"))]
    assert [p.kind for p in anypatch.apply_to(json.dumps(edits), {"s.py": SHOP}).problems] == ["overlap"]


def test_code_left_out_is_refused() -> None:
    patch = whole("Cart/add", "replace", text="    def add(self):\n        # ... rest unchanged ...\n")
    assert [p.kind for p in anypatch.apply_to(patch, {"s.py": SHOP}).problems] == ["elision"]


# ── the commands ─────────────────────────────────────────────────────────────────────────────────


# ── damaged files ────────────────────────────────────────────────────────────────────────────────

JAVA = """package shop;

/** Prices. */
public class Prices {
    private final java.util.Map<String, Integer> all = new java.util.HashMap<>();

    @Deprecated
    public int of(String name) {
        if (!all.containsKey(name)) {
            throw new IllegalArgumentException("no price: " + name);
        }
        return all.get(name);
    }

    static class Sale extends Prices {
        int percent = 10;

        @Override
        public int of(String name) {
            int full = super.of(name);
            return full - full * percent / 100;
        }
    }

    public void put(String name, int price) {
        all.put(name, price);
    }
}
"""
SCRIPT = """export class Users {
  private users = new Map<string, User>();

  find(id: string): User | undefined {
    const key = `user-${id}`;
    if (!this.users.has(key)) {
      return undefined;
    }
    return this.users.get(key);
  }

  add(user: User): void {
    this.users.set("user-" + user.id, user);
  }
}

export function sorted(users: User[]): User[] {
  return users.sort((a, b) => {
    return a.id < b.id ? -1 : 1;
  });
}
"""
CPP = """#include <string>

namespace geo {

template <typename T>
T scale(T v) {
  return v * 2;
}

class Shape {
 public:
  virtual ~Shape() {
    log("gone");
  }

  int area() const {
    if (w_ > 0) {
      return w_ * h_;
    }
    return 0;
  }

 private:
  int w_ = 0;
  int h_ = 0;
};

}  // namespace geo
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [("Prices.java", JAVA), ("users.ts", SCRIPT), ("geo.cpp", CPP), ("gate.py", Path(check.__file__).read_text())],
    ids=["java", "typescript", "cpp", "python"],
)
def test_no_end_is_told_wrongly_in_a_damaged_file(path: str, text: str, tmp_path: Path) -> None:
    """A bracket, quote or line dropped or put in anywhere: a symbol that is whole is found with its lines, or refused."""
    (tmp_path / path).write_text(text)
    counts = damaged([tmp_path / path], 250, random.Random(5))
    assert counts["wrong"] == 0
    assert counts["right"] >= 0.75 * sum(counts.values())


def test_a_header_that_the_tree_lost_still_counts() -> None:
    """An open quote hides the first `f`; the second is not the only one for that."""
    text = 'class A:\n    def f(self):\n        x = """a\n        return x\n\n\nclass B:\n    def f(self):\n        return 1\n'
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(text, path="a.py", name_path="f")
    assert caught.value.problems[0].kind == "ambiguous"
    found = anypatch.find(text, path="a.py", name_path="B/f")
    assert (found.range.start.line, found.range.end.line) == (7, 8)


def test_an_end_on_which_two_ways_differ_is_refused() -> None:
    text = JAVA.replace("        return all.get(name);\n    }\n", "        return all.get(name);\n")
    files = {"Prices.java": text}
    patch = json.dumps({"relative_path": "Prices.java", "name_path": "/Prices/of", "op": "delete"})
    report = anypatch.apply_to(patch, files)
    assert [problem.kind for problem in report.problems] == ["ambiguous"]


# text with a mistake, the symbol asked for, and its first and last line
DAMAGED = [
    # the tree takes `Generic: """…"""` for a variable with a type
    ("a.py", 'class A:\n    def f_self):\n        return 1\n\n\nclass Generic:\n    """Doc."""\n\n    x = 1\n', "Generic", (5, 8)),
    # the beginning of the comment is lost: its words are no part of the head
    ("a.cpp", "struct V {\n  int g();\n\n   *  Removes the last.\n   */\n  void\n  pop() {\n    --end;\n  }\n};\n", "pop", (5, 8)),
    # a macro above a head that only the scanner tells
    ("a.cpp", "struct V {\n  int g() {\n    return (1;\n  }}\n\n  MY_CONSTEXPR\n  void\n  pop()\n  {\n    --end;\n  }\n};\n", "pop", (6, 10)),
    # the scope of a name stands on the line above
    ("a.cpp", "void g() {\n  f('a, b);\n}}\n\ntemplate <class T>\ninline A<T>::\n    A()\n    : x() {}\n", "A", (4, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "name", "lines"), DAMAGED, ids=["class", "comment", "macro", "scope"])
def test_heads_in_damaged_files(path: str, text: str, name: str, lines: tuple[int, int]) -> None:
    """Right, or refused."""
    try:
        found = anypatch.find(text, path=path, name_path=name)
    except anypatch.PatchError as refused:
        assert refused.problems[0].kind == "ambiguous"
    else:
        assert (found.range.start.line, found.range.end.line) == lines


@pytest.mark.parametrize("text", ["<a\r/>", "<a>\r<b/>\r</a>", "<a><b\r/></a>"])
def test_a_carriage_return_in_a_file_of_one_line(text: str) -> None:
    """It ends no line, as it does not in the edits of that file; what was shown then had more rows than the file."""
    changed = anypatch.apply_to({"file_path": "a.svg", "old_string": "<a", "new_string": "<c"}, {"a.svg": text})
    assert changed.files == {"a.svg": text.replace("<a", "<c")}, changed.problems
    assert (
        anypatch.apply_to(
            f"a.svg\n```\n{text.replace('<a', '<c', 1)}\n```\n", {"a.svg": text}, format="whole-file"
        ).problems
        == ()
    )
