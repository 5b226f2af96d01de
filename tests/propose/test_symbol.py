"""Rule `symbol`: functions and classes that the file has."""

from __future__ import annotations

import pytest
from sketches import NEW_TOTAL, ROUNDED, STORE, changed, fence, outcome, rules

from anypatch.propose import Proposal

MODEL = '''\
@dataclass
class Model(Base, metaclass=Meta):
    """A model."""

    name = "x"

    @property
    def size(self):
        return 1

    def save(self):
        pass
'''


def test_new_functions_and_imports_go_beside_their_like() -> None:
    code = "import os\n\n\ndef load(path):\n    return {}\n\n\ndef exists(path):\n    return os.path.exists(path)"
    after = changed(f"store.py\n{fence(code)}", {"store.py": STORE})["store.py"]
    assert after.startswith("import json\nimport os\n\n\ndef load(path):\n    return {}\n\n\ndef exists(path):")
    assert after.endswith(STORE[STORE.index("\n\ndef save") :])


def test_an_import_of_more_names_replaces_the_one_of_fewer() -> None:
    text = "from a import b\nimport c\n\n\ndef run():\n    pass\n"
    code = "from a import b, d\nimport c\n\n\ndef run():\n    d()"
    answer = f"In run.py:\n{fence(code)}"
    assert changed(answer, {"run.py": text}) == {"run.py": code + "\n"}


def test_imports_go_below_the_docstring() -> None:
    text = '"""What it\ndoes."""\n\n\ndef run():\n    pass\n'
    after = changed(
        f"In run.py:\n{fence('import os' + chr(10) + 'def run():' + chr(10) + '    os.abort()')}", {"run.py": text}
    )
    assert after["run.py"].startswith('"""What it\ndoes."""\n\n\nimport os\n')


def test_a_class_with_one_method_keeps_the_others() -> None:
    (result,) = outcome(
        f"store.py\n{fence('class Cart:' + chr(10) + '    def total(self):' + chr(10) + '        return 0')}",
        {"store.py": STORE},
    )
    assert isinstance(result, Proposal)
    assert "\n".join(result.after) + "\n" == STORE.replace("return sum(self.items)", "return 0")
    assert (result.rule, result.names) == ("symbol", ("Cart.__init__",))


def test_a_class_keeps_the_bases_decorators_and_members_that_are_not_shown() -> None:
    code = "class Model:\n    def save(self):\n        store(self)"
    (result,) = outcome(f"In model.py:\n{fence(code)}", {"model.py": MODEL})
    assert isinstance(result, Proposal)
    assert "\n".join(result.after) + "\n" == MODEL.replace("pass", "store(self)")
    assert set(result.names) == {"Model.name", "Model.size", "@dataclass", "Base", "metaclass", "Meta"}


def test_a_class_that_shows_all_members_keeps_its_bases_too() -> None:
    text = "class Model(Base):\n    def save(self):\n        pass\n"
    code = "class Model:\n    def save(self):\n        store(self)"
    (result,) = outcome(f"In model.py:\n{fence(code)}", {"model.py": "import x\n\n\n" + text})
    assert isinstance(result, Proposal)
    assert result.after[3:] == ("class Model(Base):", "    def save(self):", "        store(self)")
    assert result.names == ("Base",)


def test_other_bases_are_taken() -> None:
    code = "class Model(Other):\n    def save(self):\n        store(self)"
    after = changed(f"In model.py:\n{fence(code)}", {"model.py": MODEL})["model.py"]
    assert "@dataclass\nclass Model(Other):\n" in after and "def size" in after


def test_a_decorator_that_is_not_shown_stays() -> None:
    code = "def size(self):\n    return 2"
    (result,) = outcome(f"In model.py:\n{fence(code)}", {"model.py": MODEL})
    assert isinstance(result, Proposal)
    assert ("\n".join(result.after) + "\n", result.names) == (MODEL.replace("return 1", "return 2"), ("@property",))


def test_a_new_member_goes_after_the_one_before_it() -> None:
    code = "class Cart:\n    def total(self):\n        return sum(self.items)\n\n    def clear(self):\n        self.items = []"
    after = changed(f"In store.py:\n{fence(code)}", {"store.py": STORE})["store.py"]
    assert after == STORE + "\n    def clear(self):\n        self.items = []\n"


def test_members_on_one_line() -> None:
    text = "interface Point { x: number; y: number }\n\nfunction norm(p: Point) {\n  return p.x;\n}\n"
    code = "interface Point { x: number; z: number }"
    after = changed(f"In point.ts:\n{fence(code, 'ts')}", {"point.ts": text})
    assert after == {"point.ts": text.replace("y: number", "z: number")}


def test_a_method_alone_is_parsed_in_languages_that_need_a_class_around_it() -> None:
    text = "class Cart {\n  total(): number {\n    return 1;\n  }\n\n  clear(): void {}\n}\n"
    method = fence("total(): number {\n  return 2;\n}", "ts")
    assert changed(f"cart.ts\n{method}", {"cart.ts": text}) == {"cart.ts": text.replace("return 1", "return 2")}


def test_a_name_above_chooses_between_methods_of_one_name() -> None:
    text = "class A:\n    def get(self):\n        return 1\n\n\nclass B:\n    def get(self):\n        return 1\n"
    code = fence("def get(self):\n    return 2")
    assert changed(f"In m.py, `B.get`:\n{code}", {"m.py": text}) == {"m.py": text[:-2] + "2\n"}
    assert rules(outcome(f"In m.py:\n{code}", {"m.py": text})) == [""]


def test_only_new_functions_have_no_place() -> None:
    assert rules(outcome(f"In store.py:\n{fence('def clear():' + chr(10) + '    pass')}", {"store.py": STORE})) == [""]


def test_a_line_for_a_function_named_in_passing_is_unused() -> None:
    answer = f"In `store.py`:\n{fence(NEW_TOTAL)}and in `load`:\n{fence('    return json.load(file, strict=False)')}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", ""]


def test_lines_outside_definitions_are_shown_as_unplaced() -> None:
    (result,) = outcome(f"In store.py:\n{fence(NEW_TOTAL + chr(10) * 2 + 'print(1)')}", {"store.py": STORE})
    assert isinstance(result, Proposal) and result.unplaced == ("print(1)",)
    assert "\n".join(result.after) + "\n" == ROUNDED


@pytest.mark.parametrize("tab", ["\t", "  ", "    "])
def test_a_definition_is_indented_as_the_file_has_it(tab: str) -> None:
    text = f"class A:\n{tab}def f(self):\n{tab}{tab}return 1\n"
    after = changed(f"In a.py:\n{fence(f'def f(self):{chr(10)}{tab}return 2')}", {"a.py": text})
    assert after == {"a.py": text.replace("1", "2")}
