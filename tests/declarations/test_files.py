"""Constructions outside the package: files that are named by their paths, and modules of other packages."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boundcalc.cli.main import main
from boundcalc.declarations import registry

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
HINGE = (EXAMPLES / "hinge.py").read_text(encoding="utf-8")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main([str(a) for a in arguments])
        code = end.value.code
        out, err = capsys.readouterr()
        return int(code or 0), out, err
    return call


@pytest.fixture(params=["hinge", "distance"])
def example(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of an example; we are in another folder."""
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    copy = there / f"{request.param}.py"
    copy.write_text((EXAMPLES / copy.name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(here)
    return copy


# ---------------------------------------------------------------------------------------------------------------
# every command takes the path

def test_derive(example: Path, run: Run) -> None:
    code, out, err = run(example, "--eps", "1/20")
    assert (code, err) == (0, "")
    first, *_ = out.splitlines()
    assert first.startswith(f"{example.stem}   ")
    assert first.endswith("proved")
    assert "within ε = 0.05" in first


def test_a_path_from_where_we_are(example: Path, run: Run) -> None:
    assert run(f"../there/{example.name}", "--eps", "1/20") == run(example, "--eps", "1/20")


@pytest.mark.parametrize("gate", ["silu", "anchor", "anchors", "ffn"])
def test_verify(example: Path, run: Run, gate: str) -> None:
    code, out, err = run("verify", example, "--eps", "1/20", "--gate", gate, "-f", "json")
    found = json.loads(out)["verification"]
    assert (code, err) == (0, "")
    assert found["holds"] is True
    assert found["certified"]["error"] is not None


def test_show(example: Path, run: Run) -> None:
    code, out, err = run("show", example)
    assert (code, err) == (0, "")
    assert "W(1/e)/β" in out


def test_weights_and_eval(example: Path, run: Run) -> None:
    code, _, err = run("weights", example, "--eps", "1/20", "-o", "network.json")
    assert (code, err) == (0, "")
    point, target = ("x=1/3,y=-1", 4 / 3) if example.stem == "distance" else ("x=1/3", 2 / 3)
    code, out, err = run("eval", "network.json", "--at", point)
    assert (code, err) == (0, "")
    assert abs(float(out.splitlines()[0].split("=")[-1]) - target) <= 0.05


def test_the_written_network_is_verified_against_the_file(example: Path, run: Run) -> None:
    run("weights", example, "--eps", "1/20", "-o", "network.json")
    code, out, err = run("verify", "network.json", "--target", example, "--eps", "1/20")
    assert (code, err) == (0, "")
    assert "certified" in out


def test_plot(example: Path, run: Run) -> None:
    code, _, err = run("plot", example, "--eps", "1/20", "-o", "picture.svg")
    assert (code, err) == (0, "")
    assert "<svg" in Path("picture.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("arguments", "mark"), [
    (("-f", "latex", "--proof"), r"\begin{proof}"), (("-f", "json"), '"schema": "boundcalc-bound/1"'),
    (("-f", "html"), "<html"), (("-f", "markdown"), "# "), (("--help",), "--eps NUMBER")])
def test_formats(example: Path, run: Run, arguments: tuple[str, ...], mark: str) -> None:
    code, out, err = run(example, *(() if arguments == ("--help",) else ("--eps", "1/20")), *arguments)
    assert (code, err) == (0, "")
    assert mark in out


def test_the_printed_command_repeats_the_bound(example: Path, run: Run) -> None:
    from boundcalc.results.bound import bound
    from boundcalc.results.command import command_line
    words = command_line(bound(str(example), eps="1/20")).split()
    code, out, err = run(*words[1:], "-f", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(run(example, "--eps", "1/20", "-f", "json")[1])


# ---------------------------------------------------------------------------------------------------------------
# files with an error: one sentence with file and line, exit 2

def changed(old: str, new: str) -> str:
    assert HINGE.count(old) == 1, old
    return HINGE.replace(old, new)


def line(text: str, mark: str) -> int:
    """The last line with this mark."""
    return max(k for k, each in enumerate(text.splitlines(), 1) if mark in each)


RECORD = HINGE[HINGE.index("CONSTRUCTION ="):]
PARAMETERS = "    parameters=({}),\n    routes=("
WRONG = {
    "a syntax error": (changed("def recipe(frame: Frame)", "def recipe(frame: Frame"), "def recipe", "invalid syntax"),
    "a header without a field": (changed("standing: recipe a reconstruction, bound derived, tight\n", ""), "map:",
                                 "the line 'standing:' is missing"),
    "a header with an unknown field": (changed("\nstanding:", "\nodd: x\nstanding:"), "map:", "nothing is known of 'odd'"),
    "no docstring": (HINGE[HINGE.index("from collections"):], "from collections.abc", "no docstring"),
    "no record": (HINGE.replace(RECORD, "RECORD = 1\n"), '"""Hinge', "it makes no record called CONSTRUCTION"),
    "another record": (HINGE.replace(RECORD, "CONSTRUCTION = recipe\n"), "CONSTRUCTION", "not a Construction"),
    "a record without a field": (changed('    outputs=(Output("hinge(x)", "relu(1 - x)"),),\n', ""),
                                 "CONSTRUCTION = ", "missing 1 required positional argument: 'outputs'"),
    "a field that is none": (changed("    inputs=(Input(", "    odd=1,\n    inputs=(Input("), "CONSTRUCTION = ",
                             "unexpected keyword argument 'odd'"),
    "a target that does not parse": (changed('"relu(1 - x)"', '"relu(1 - x"'), "relu(1 - x", "the target 'relu(1 - x'"),
    "a target with an unknown name": (changed('"relu(1 - x)"', '"relu(u - x)"'), "relu(u - x)", "the target mentions u"),
    "two parameters of one name": (changed("    routes=(", PARAMETERS.format(
        'Parameter("q", Kind.RATIONAL, "one"), Parameter("q", Kind.RATIONAL, "two")')).replace(
            "    Output,\n", "    Kind,\n    Output,\n    Parameter,\n"), '"q"', "are called q"),
    "a parameter with a reserved name": (changed("    routes=(", PARAMETERS.format(
        'Parameter("beta", Kind.RATIONAL, "one"),')).replace("    Output,\n", "    Kind,\n    Output,\n    Parameter,\n"),
        '"beta", Kind', "the name beta is taken"),
    "other routes than the header": (changed("routes: recipe\n", "routes: recipe, direct\n"), "routes",
                                     "the header names the routes recipe, direct, the record recipe"),
    "two routes of one name": (changed('attained=("silu",)),)', 'attained=("silu",)), Route("recipe", recipe))').replace(
        "routes: recipe\n", "routes: recipe, recipe\n"), "routes=", "two of its routes are called recipe"),
    "an unknown gate": (changed("gates: silu,", "gates: gelu,"), "gates:", "there is no gate 'gelu'"),
    "a case for an unknown gate": (changed('gates=("silu", "ffn")', 'gates=("silu", "gelu")'), "gelu",
                                   "a case is for the gate 'gelu'"),
    "an exception": (HINGE + "\n1 / 0\n", "1 / 0", "ZeroDivisionError: division by zero"),
    "an import that fails": (changed("    Block,\n", "    Block,\n    Blocks,\n"), "from boundcalc.constructions import",
                             "ImportError: cannot import name 'Blocks'"),
    "an exception in a function": (changed("def witness(", "def broken() -> None:\n    raise ValueError\n\n\nbroken()\n\n\n"
                                           "def witness("), "raise ValueError", "ValueError"),
    "an end of the program": (HINGE + "\nraise SystemExit(0)\n", "raise SystemExit", "SystemExit"),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("command", [(), ("verify",), ("show",)], ids=lambda c: c[0] if c else "derive")
def test_an_error_is_told_in_one_sentence_with_file_and_line(tmp_path: Path, run: Run, what: str,
                                                            command: tuple[str, ...]) -> None:
    text, mark, sentence = WRONG[what]
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    code, out, err = run(*command, tmp_path / "mine.py", *(("--eps", "1/20") if command != ("show",) else ()))
    assert (code, out) == (2, "")
    said = " ".join(err.split())
    assert said.count("error: ") == 1
    assert f"mine.py, line {line(text, mark)}: " in said
    assert sentence in said
    assert "defect" not in said


def test_an_error_while_a_term_is_built_names_the_line(tmp_path: Path, run: Run) -> None:
    """The file is right to look at, but its function fails when it is asked for a network."""
    text = changed('{"hinge(x)": var("r")}', '{"hinge(x)": var(r)}')
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    code, out, err = run(tmp_path / "mine.py", "--eps", "1/20")
    assert (code, out) == (2, "")
    assert f"mine.py, line {line(text, 'var(r)')}: NameError: name 'r' is not defined" in " ".join(err.split())


@pytest.mark.parametrize("command", [(), ("verify",), ("show",), ("weights",), ("plot",)],
                         ids=lambda c: c[0] if c else "derive")
def test_a_file_that_cannot_be_read(tmp_path: Path, run: Run, command: tuple[str, ...]) -> None:
    (tmp_path / "latin.py").write_bytes('"""Über."""\n'.encode("latin-1"))
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "zero.py").write_bytes(b'"""Zero."""\x00\n')
    for name, reason in (("latin", "it is not UTF-8 text"), ("absent", "No such file or directory"),
                         ("folder", "Is a directory"), ("zero", "null bytes")):
        code, out, err = run(*command, tmp_path / f"{name}.py")
        assert (code, out) == (2, "")
        said = " ".join(err.split())
        assert said.count("error: ") == 1
        assert f"{name}.py" in said
        assert reason in said


# ---------------------------------------------------------------------------------------------------------------
# what executes a file

@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A file that leaves a trace when it is executed, in the folder where we are."""
    trace = tmp_path / "trace"
    (tmp_path / "mine.py").write_text(f"{HINGE}\nfrom pathlib import Path\nfile = Path({str(trace)!r}).open('a')\n"
                                      "file.write('executed ')\nfile.close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine.py", trace


@pytest.mark.parametrize("arguments", [
    ("list",), ("list", "-f", "json"), ("--help",), ("show", "relu"), ("relu", "--eps", "1/10"), ("mine", "--eps", "1/10"),
    ("show", "mine"), ("verify", "mine", "--eps", "1/10"), ("relu", "--eps", "mine.py"),
    ("verify", "mine.py", "--target", "relu", "--eps", "1/10"), ("verify", "relu", "--help"), ("weights", "--help")])
def test_nothing_else_executes_a_file(traced: tuple[Path, Path], run: Run, arguments: tuple[str, ...]) -> None:
    run(*arguments)
    assert not traced[1].exists()


@pytest.mark.parametrize("arguments", [
    ("mine.py", "--eps", "1/10"), ("show", "./mine.py"), ("eval", "mine.py", "--eps", "1/10", "--at", "x=0"),
    ("verify", "mine.py", "--eps", "1/10")])
def test_its_path_executes_it_once(traced: tuple[Path, Path], run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert (code, err) == (0, "")
    assert traced[1].read_text(encoding="utf-8") == "executed "


@pytest.mark.parametrize("command", [("verify",), ("eval", "--at", "x=0")])
def test_a_network_file_that_names_it_does_not_execute_it(traced: tuple[Path, Path], run: Run,
                                                          command: tuple[str, ...]) -> None:
    """What a file of weights says about itself is data, whoever wrote it."""
    assert run("weights", "mine.py", "--eps", "1/10", "-o", "network.json")[0] == 0
    traced[1].unlink()
    text = Path("network.json").read_text(encoding="utf-8")
    assert '"mine' in text
    for name in ("mine", "mine.py", "./mine.py", str(traced[0])):
        Path("network.json").write_text(text.replace('"mine.py"', '"mine"').replace('"mine"', json.dumps(name)),
                                        encoding="utf-8")
        run(command[0], "network.json", *command[1:])
        assert not traced[1].exists(), name


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HINGE, encoding="utf-8")
    assert "Hinge function" in run(path, "--eps", "1/10", "--full")[1]
    path.write_text(HINGE.replace("Hinge function", "Another one"), encoding="utf-8")
    assert "Another one" in run(path, "--eps", "1/10", "--full")[1]


# ---------------------------------------------------------------------------------------------------------------
# modules of other packages

@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """installed(name, text): another package brings a construction of this name."""
    points: list[importlib.metadata.EntryPoint] = []
    package = tmp_path / "foreign_constructions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_registered", lambda: True)
    monkeypatch.setattr(importlib.metadata, "entry_points",
                        lambda *, group: importlib.metadata.EntryPoints(p for p in points if p.group == group))
    caches = (registry._installed, registry._information, registry._construction)

    def bring(name: str, text: str, module: str = "") -> None:
        module = module or f"made_{name.replace('-', '_')}"
        (package / f"{module}.py").write_text(text, encoding="utf-8")
        points.append(importlib.metadata.EntryPoint(name, f"foreign_constructions.{module}", registry.GROUP))
        for cached in caches:
            cached.cache_clear()

    yield bring
    for cached in caches:
        cached.cache_clear()
    for module in [m for m in sys.modules if m.startswith("foreign_constructions")]:
        del sys.modules[module]


def test_a_module_of_another_package_is_listed_without_being_imported(installed: Callable[..., None], run: Run) -> None:
    installed("their-hinge", HINGE)
    for arguments in (("list",), ("--help",), ("show", "relu")):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        assert ("their-hinge" in out) == (arguments != ("show", "relu"))
        assert "foreign_constructions.made_their_hinge" not in sys.modules
    code, out, err = run("their-hinge", "--eps", "1/20")
    assert (code, err) == (0, "")
    assert out.startswith("their-hinge   x ↦ max(1 − x, 0)")
    assert "foreign_constructions.made_their_hinge" in sys.modules
    assert run("verify", "their-hinge", "--eps", "1/20")[0] == 0


def test_what_is_bundled_cannot_be_replaced(installed: Callable[..., None], run: Run) -> None:
    before = run("relu", "--eps", "1/20")
    installed("relu", HINGE)
    assert run("relu", "--eps", "1/20") == before
    assert "foreign_constructions.made_relu" not in sys.modules


def test_a_bad_module_does_not_keep_others_from_being_used(installed: Callable[..., None], run: Run) -> None:
    installed("broken", "1 +\n")
    installed("their-hinge", HINGE)
    assert run("relu", "--eps", "1/20")[0] == 0
    assert run("their-hinge", "--eps", "1/20")[0] == 0
    code, out, err = run("list")
    assert code == 0
    assert "their-hinge" in out
    code, out, err = run("broken", "--eps", "1/20")
    assert (code, out) == (2, "")
    assert "made_broken.py, line 1: invalid syntax" in " ".join(err.split())


def test_a_package_that_is_not_there(installed: Callable[..., None], run: Run, tmp_path: Path) -> None:
    installed("lost", HINGE)
    (tmp_path / "foreign_constructions" / "made_lost.py").unlink()
    assert run("list")[0] == 0
    code, out, err = run("lost", "--eps", "1/20")
    assert (code, out) == (2, "")
    assert "lost" in err
    assert "defect" not in err
