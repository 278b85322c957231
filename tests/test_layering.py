"""Who may import what (design, "Who may touch what"), read from the sources; and what a door loads when it runs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TESTDATA

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "ireval").rglob("*.py"))

MAY_IMPORT = {
    "core": ("core", "errors"),
    "read": (
        "core.columns",
        "core.lengths",
        "core.passages",
        "core.ragged",
        "errors",
        "read",
    ),  # handed over, as columns are
    "measures": ("core", "errors", "measures"),
    "stats": ("core.ragged", "errors", "stats"),  # ragged: algebra on plain arrays
    "studies": ("core", "measures", "stats", "errors", "studies"),
    "write": ("errors", "write"),
    "errors": (),
    "notes": ("core.scores", "errors"),
    "scoring": ("core", "measures", "read", "errors"),
    "pairing": ("core", "read", "errors"),
    "distances": ("core", "read", "studies", "pairing", "errors"),
    "comparing": ("core", "measures", "read", "errors"),
    "studying": ("core", "measures", "read", "stats", "studies", "errors", "scoring"),
    "api": (
        "core",
        "measures",
        "read",
        "stats",
        "studies",
        "errors",
        "scoring",
        "comparing",
        "distances",
        "__version__",
    ),
    "metaeval": ("api", "studies", "studying", "errors"),  # more of the api
    "beyond": ("api", "beyond", "core", "measures", "read", "errors"),  # more of the api
}
"""Room -> the modules of ireval that it may import. Doors may import any room but each other's insides."""

OUTSIDE = {
    "core": {"numpy"},
    "read": {"numpy"},
    "measures": {"numpy"},
    "stats": {"numpy", "scipy"},
    "studies": {"numpy"},
    "write": {"rich", "numpy", "matplotlib"},
    "errors": set(),
    "notes": set(),
    "scoring": {"numpy"},
    "pairing": {"numpy"},
    "distances": {"numpy"},
    "comparing": {"numpy"},
    "studying": {"numpy"},
    "metaeval": set(),
    "api": {"numpy", "pandas"},
    "beyond": {"numpy"},
    "cli": {"click", "rich", "numpy"},
    "compat": {"numpy"},
    "__init__": set(),
    "__main__": set(),
}
"""Room -> the packages beyond the standard library that it may import."""

DOORS = ("cli", "compat")


def room(path: Path) -> str:
    """The first part of a module's name below ireval."""
    return path.relative_to(ROOT / "ireval").parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, bool]]:
    """Every module that a file imports, with names as `module.name`, and whether at the top of the file."""
    tree = ast.parse(path.read_text())
    inner = {id(node) for scope in ast.walk(tree) if isinstance(scope, ast.FunctionDef) for node in ast.walk(scope)}
    found = []
    for node in ast.walk(tree):
        at_top = id(node) not in inner
        if isinstance(node, ast.Import):
            found += [(alias.name, at_top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [(f"{node.module}.{alias.name}", at_top) for alias in node.names]
    return found


def package(module: str) -> str:
    return module.split(".")[0]


def outside(path: Path) -> set[str]:
    """Packages that are neither ireval nor part of Python."""
    return {package(module) for module, _ in imports(path)} - {"ireval"} - sys.stdlib_module_names


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_stays_in_its_layer(path: Path) -> None:
    here = room(path)
    assert outside(path) <= OUTSIDE[here]
    if here not in MAY_IMPORT:
        return
    for module, _ in imports(path):
        if package(module) == "ireval":
            inside = module.removeprefix("ireval.")
            assert any(inside == m or inside.startswith(m + ".") for m in MAY_IMPORT[here]) or (
                here == "api" and inside == "ireval"
            ), f"{here} imports {module}"


def test_the_rule_can_be_broken(tmp_path: Path) -> None:
    """The reader of imports sees every form of them."""
    (tmp_path / "x.py").write_text(
        "import click.core as c\nfrom rich import console, text\n"
        "def f():\n    import scipy.stats\n    from a.b import c\n"
    )
    assert imports(tmp_path / "x.py") == [
        ("click.core", True),
        ("rich.console", True),
        ("rich.text", True),
        ("scipy.stats", False),
        ("a.b.c", False),
    ]


def test_every_room_is_known() -> None:
    assert {room(path) for path in SOURCES} <= set(OUTSIDE)


def test_nobody_imports_a_door() -> None:
    for path in SOURCES:
        if room(path) == "__main__":
            continue
        for module, _ in imports(path):
            parts = module.split(".")
            if parts[0] == "ireval" and len(parts) > 1 and parts[1] in DOORS:
                assert room(path) == parts[1], f"{path} imports {module}"


def test_click_only_in_cli() -> None:
    assert {room(path) for path in SOURCES if "click" in outside(path)} <= {"cli"}


def test_rich_only_at_the_terminal() -> None:
    users = {str(path.relative_to(ROOT / "ireval")) for path in SOURCES if "rich" in outside(path)}
    assert users <= {"write/terminal.py", "cli/progress.py"}


def test_matplotlib_only_in_pictures() -> None:
    users = [path for path in SOURCES if "matplotlib" in outside(path)]
    assert all(room(path) == "write" and path.stem.startswith("plot") for path in users)
    for path in users:
        at_top = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert "matplotlib" not in ast.unparse(ast.Module(at_top, [])), f"{path}: import it when it is needed"


def test_scipy_only_inside_functions() -> None:
    for path in SOURCES:
        assert not any(package(module) == "scipy" and at_top for module, at_top in imports(path)), path


def test_no_drawer_for_odds_and_ends() -> None:
    assert not {path.stem for path in SOURCES} & {"utils", "util", "helpers", "helper", "common", "misc"}


# -- at run time ----------------------------------------------------------------------------------------------------


def loaded_after(code: str) -> set[str]:
    """Top-level packages in sys.modules after some code ran in a fresh interpreter."""
    tail = "\nimport sys; sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code + tail],
        capture_output=True,
        text=True,
        cwd=TESTDATA / "golden" / "worlds",
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        check=True,
        timeout=60,
    )
    return {package(name) for name in done.stderr.split("\n")[-1].split()}


@pytest.mark.parametrize(
    "argv",
    [
        ["adhoc-complete/qrels", "adhoc-complete/alpha.run"],
        ["-q", "-m", "all_trec", "adhoc-complete/qrels", "adhoc-complete/alpha.run"],
        ["-q", "-R", "prefs", "-m", "all_prefs", "prefs/prefs", "prefs/prefs.run"],
    ],
    ids=["official", "all_trec", "prefs"],
)
def test_trec_eval_loads_numpy_and_little_else(argv: list[str]) -> None:
    loaded = loaded_after(f"from ireval.compat.trec_eval import main; assert main({argv!r}) == 0")
    assert "numpy" in loaded and "ireval" in loaded
    assert not loaded & {"click", "rich", "scipy", "pandas", "lzma", "bz2", "difflib"}


@pytest.mark.skipif(not (ROOT / "ireval/cli/main.py").exists(), reason="our own commands are not there yet")
def test_help_loads_no_numpy() -> None:
    loaded = loaded_after("import sys; sys.argv = ['ireval', '--help']; from ireval.__main__ import main; main()")
    assert "click" in loaded
    assert not loaded & {"numpy", "rich", "scipy"}


def test_importing_ireval_loads_nothing() -> None:
    assert not loaded_after("import ireval; ireval.__version__") & {"numpy", "click", "rich", "scipy"}
