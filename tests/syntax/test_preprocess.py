"""C and C++ as the grammar reads them: macros that say nothing to it go, types and names in capitals stay."""

from __future__ import annotations

import json

import pytest

import anypatch
from anypatch.syntax.grammars import parsed
from anypatch.syntax.preprocess import readable

# what is blanked stands between ‹ and ›
BLANKED = """\
‹API_EXPORT› void f();
‹API_EXPORT› std::string f();
‹API_EXPORT› Foo::Foo() : a(1) {}
‹API_EXPORT› Foo* f();
extern "C" ‹DLLEXPORT› int ‹WINAPI› foo(void);
static inline const char* FOO_BAR() ‹NOEXCEPT›;
void f() const ‹NOEXCEPT› override;
FILE* open_it(const char* n) ‹NOTHROW›;
void f() ‹NOEXCEPT_IF(a(b))› { }
class ‹API› Foo : public BASE {};
class A { ‹Q_OBJECT› public ‹Q_SLOTS›: void f(); ‹Q_SIGNALS:› void g(); };
class A { ‹FORBID_COPY(A)› int x; };
namespace std ‹VISIBLE(default)› { int x; }
template <class T> ‹INLINE› DWORD f(T x) { return 1; }
struct A { ‹EXPLICIT› A(int x) : a(x) {} ‹CONSTEXPR› operator bool() const; };
void f() { if ‹CONSTEXPR› (x) { g(); } }
‹BEGIN_ALL› int f(); ‹END_ALL›
int f() { ‹RETURN_IF(x)› return 1; }
enum E { AA, BB, ‹MARK_LAST(BB)› };
f(‹BAD_CAST› a->b, ‹BAD_CAST› c)
int f() { ‹__library_requires(x)› return 1; }
int f(int ‹A::›*p);
"""
KEPT = """\
DWORD x = 5;
DWORD f(int a);
HRESULT CFoo::Bar(int a) { return 1; }
static CONST x = 3;
int COUNT ATTR_UNUSED = 0;
typedef struct { int a; } NAME;
enum E { FIRST, LAST };
switch (x) { case FOO: return BAR; }
x = (int) FOO;
int a = x ? y : FOO;
if (a) FOO;
struct alignas(8) FOO { int a; };
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
__typeof__(x) y;
__attribute__((pure)) int f();
"""


@pytest.mark.parametrize("line", BLANKED.splitlines())
def test_macros_that_stand_where_no_word_may_are_blanked(line: str) -> None:
    text = line.replace("‹", "").replace("›", "").encode()
    pieces = line.replace("‹", "›").split("›")
    assert readable(text).decode() == "".join(" " * len(one) if at % 2 else one for at, one in enumerate(pieces))


@pytest.mark.parametrize("line", KEPT.splitlines())
def test_what_may_be_a_type_or_a_name_stays(line: str) -> None:
    assert readable(line.encode()) == line.encode()


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


def test_symbols_of_unread_branches_are_namesakes() -> None:
    """Two branches open one brace: the grammar reads the first, but `main` of the other is there too."""
    found = [(s.name_path, s.range.start.line) for s in anypatch.outline(BRANCHES, path="a.c")]
    assert found == [("main[0]", 1), ("other", 5), ("main[1]", 7)]
    with pytest.raises(anypatch.PatchError) as caught:
        anypatch.find(BRANCHES, path="a.c", name_path="main")
    assert caught.value.problems[0].kind == "ambiguous"
    second = anypatch.find(BRANCHES, path="a.c", name_path="main[1]")
    assert (second.range.start.line, second.range.end.line) == (7, 10)
    whole = anypatch.find(BRANCHES, path="a.c", name_path="other")
    assert (whole.range.start.line, whole.range.end.line) == (5, 14)


def test_a_symbol_begins_with_the_macro_on_its_line() -> None:
    text = "// lead\nMY_API void\nf();\nclass MY_API A {\n  MY_API int g() MY_PURE {\n    return 1;\n  }\n};\n"
    found = {s.name: s for s in anypatch.outline(text, path="a.h")}
    assert found["f"].range == ((1, 0), (2, 4))
    assert anypatch.read(found["f"], lead=True).text == "// lead\nMY_API void\nf();"
    assert [s.name_path for s in found["A"].children] == ["A/g"]
    assert (found["A"].kind, found["A"].range) == ("class", ((3, 0), (7, 2)))


def test_a_macro_on_the_line_above_is_neither_left_behind_nor_cut_off() -> None:
    """It may be the function's or stand for itself: inserting goes above it, deleting asks."""
    text = "int a;\n\n// lead\nMY_CONSTEXPR\nvoid\nf() {\n  g();\n}\nint b;\n"

    def made(op: str, **more: object) -> tuple[list[str], str]:
        patch = json.dumps({"relative_path": "a.cpp", "name_path": "f", "op": op, **more})
        result = anypatch.apply_to(patch, {"a.cpp": text})
        return [problem.kind for problem in result.problems], str(result.files["a.cpp"])

    assert made("insert_before", text="int c;\n") == ([], text.replace("// lead", "int c;\n// lead"))
    assert made("delete") == (["ambiguous"], text)
    assert made("delete", with_lead=True) == ([], "int a;\n\nint b;\n")
    assert made("replace", text="void\nf();\n") == ([], text.replace("f() {\n  g();\n}", "f();"))


def test_what_is_blanked_keeps_its_place_and_its_lines() -> None:
    text = (
        BRANCHES.encode()
        + b"MY_MACRO(a,\n  b)\nint f(\n#ifdef X\n int a\n#else\n int b\n#endif\n);\nx->*y; z.operator==(a);\n"
    )
    less = readable(text)
    assert [len(line) for line in less.split(b"\n")] == [len(line) for line in text.split(b"\n")]
    tree = parsed("cpp", less)
    assert tree is not None and not tree.root_node.has_error
