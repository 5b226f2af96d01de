"""C and C++ as the grammar reads them: macros that it can't understand are blanked, types and names in capitals stay."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.syntax.declarations import best_tree
from anypatch.syntax.macros import readings, without_macros
from support.cost import at_most

# ‹…› is blanked
BLANKED = """\
‹API_EXPORT› void f();
‹API_EXPORT› std::string f();
‹API_EXPORT› Foo::Foo() : a(1) {}
‹API_EXPORT› Foo* f();
‹API_EXPORT› const Foo& f();
‹OLD_API› ‹NODISCARD› DWORD *f();
extern "C" ‹DLLEXPORT› int ‹WINAPI› foo(void);
static ‹INLINE› int f();
static inline const char* FOO_BAR() ‹NOEXCEPT›;
void f() const ‹NOEXCEPT› override;
FILE* open_it(const char* n) ‹NOTHROW›;
void f() ‹NOEXCEPT_IF(a(b))› { }
class ‹API› Foo : public BASE {};
class A { ‹Q_OBJECT› public: void f(); };
class A { ‹FORBID_COPY(A)› int x; };
namespace std ‹VISIBLE(default)› { int x; }
template <class T> ‹INLINE› DWORD f(T x) { return 1; }
template <class T> ‹INLINE› Box<T> f(T x) { return 1; }
struct A { ‹EXPLICIT› A(int x) : a(x) {} ‹CONSTEXPR› operator bool() const; };
‹BEGIN_ALL› int f(); ‹END_ALL›
int f() { ‹RETURN_IF(x)› return 1; }
int f() { ‹ASSIGN_OR_RAISE(auto a, g())›; return 1; }
f(‹BAD_CAST› a->b, ‹BAD_CAST› c)
"""
KEPT = """\
DWORD x = 5;
DWORD f(int a);
HRESULT CFoo::Bar(int a) { return 1; }
extern DWORD f(int a);
static CONST x = 3;
int COUNT ATTR_UNUSED = 0;
typedef struct { int a; } NAME;
enum E { FIRST, LAST };
switch (x) { case FOO: return BAR; }
x = (int) FOO;
int a = x ? y : FOO;
if (a) FOO;
struct alignas(8) FOO { int a; };
struct __attribute__((packed)) FOO { int a; };
struct FOO bar;
BOOL operator==(A a);
TEST(Foo, Bar) { x(); }
void FOO(int a) { }
static int MAIN_LOOP(void) { }
auto f() -> FOO { }
int FOO{3};
UINT a, b;
for (int i = 0; i < MAX and j; ++i) {}
#define X FOO bar
const char* s = "API void"; // API void f
template <class T> DWORD f(T x) { return 1; }
"""


@pytest.mark.parametrize("line", BLANKED.splitlines())
def test_macros_that_are_neither_a_type_nor_a_name_are_blanked(line: str) -> None:
    pieces = line.replace("‹", "›").split("›")
    wanted = "".join(" " * len(piece) if at % 2 else piece for at, piece in enumerate(pieces))
    assert without_macros(line.replace("‹", "").replace("›", "")) == wanted


@pytest.mark.parametrize("line", KEPT.splitlines())
def test_what_may_be_a_type_or_a_name_stays(line: str) -> None:
    assert without_macros(line) == line


BRANCHES = """\
#if A
int main(int a)
{
   return 1;
}
int other(int b) {
#else
int main(void)
{
   return 2;
}
int other(long b) {
#endif
  return 3;
}
"""


def test_symbols_of_branches_that_were_not_read_are_namesakes() -> None:
    """Two branches open one brace: the grammar reads the first, but `main` of the other is listed too."""
    names = [(s.name_path, s.range.start.line) for s in anypatch.outline(BRANCHES, path="a.c")]
    assert names == [("main[0]", 1), ("other", 5), ("main[1]", 7)]
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(BRANCHES, path="a.c", name_path="main")
    assert caught.value.problems[0].kind == "ambiguous"
    second = anypatch.find(BRANCHES, path="a.c", name_path="main[1]")
    assert (second.range.start.line, second.range.end.line) == (7, 10)
    other = anypatch.find(BRANCHES, path="a.c", name_path="other")
    assert (other.range.start.line, other.range.end.line) == (5, 14)


def test_branches_inside_a_statement_are_blanked_if_that_helps() -> None:
    """No branch leaves a bracket open, so both are read first: two types for one name, which is an error."""
    text = b"static\n#if A\nint\n#else\nlong\n#endif\nf() {\n  return 1;\n}\n"
    first, second = readings(text)
    assert first == text
    assert b"int" in second and b"long" not in second
    root, seen = best_tree("c", text)
    assert root is not None and not root.has_error
    assert seen == second


def test_a_symbol_begins_with_the_macro_on_its_line() -> None:
    text = "// lead\nMY_API void\nf();\nclass MY_API A {\n  MY_API int g() MY_PURE {\n    return 1;\n  }\n};\n"
    symbols = {s.name: s for s in anypatch.outline(text, path="a.h")}
    assert symbols["f"].range == ((1, 0), (2, 4))
    assert anypatch.read(symbols["f"], lead=True).text == "// lead\nMY_API void\nf();"
    assert [s.name_path for s in symbols["A"].children] == ["A/g"]
    assert (symbols["A"].kind, symbols["A"].range) == ("class", ((3, 0), (7, 2)))


def test_a_macro_on_the_line_above_is_not_cut_off() -> None:
    """It may belong to the function: an insertion goes above it, and a deletion with what leads up to it takes it."""
    text = "int a;\n\n// lead\nMY_CONSTEXPR\nvoid\nf() {\n  g();\n}\nint b;\n"

    def edited(op: str, **more: object) -> tuple[list[str], str]:
        patch = json.dumps({"relative_path": "a.cpp", "name_path": "f", "op": op, **more})
        result = anypatch.apply_to(patch, {"a.cpp": text})
        return [problem.kind for problem in result.problems], str(result.files["a.cpp"])

    assert edited("insert_before", text="int c;\n") == ([], text.replace("// lead", "int c;\n// lead"))
    assert edited("delete", with_lead=True) == ([], "int a;\n\nint b;\n")
    assert edited("replace", text="void\nf();\n") == ([], text.replace("f() {\n  g();\n}", "f();"))


def test_every_line_keeps_its_length() -> None:
    text = BRANCHES.encode() + b"MY_MACRO(a,\n  b)\nint f(\n#ifdef X\n int \xc3\xa9\n#else\n int b\n#endif\n);\n"
    for reading in readings(text):
        assert [len(line) for line in reading.split(b"\n")] == [len(line) for line in text.split(b"\n")]
        assert reading != text


@pytest.mark.parametrize(
    "unit", ["AAA ", "AAA(", "AAA(BBB ", "class AAA x ", "AAA a<", "AAA a::", ") const AAA ", "#if\n{"]
)
def test_cost_is_linear(unit: str) -> None:
    with at_most(seconds=1):
        list(readings((unit * (60_000 // len(unit))).encode()))
