"""Imports point one way, and what must stand alone does: read from the source, nothing is imported here.

cli, server -> wire -> planning -> engine, memory, catalog -> domain
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SERVICE = ROOT / "service" / "rungwise"
RULEBOOK = ROOT / "rules" / "rungwise" / "rulebook"
MODULES = sorted(SERVICE.rglob("*.py"))
NAMES = [str(path.relative_to(SERVICE)) for path in MODULES]
LONGEST_FILE = 400

BELOW = {
    # package: packages of ours that it may import besides itself
    "domain": set(),
    "engine": {"domain"},
    "memory": {"domain"},
    "catalog": {"domain"},
    "planning": {"engine", "memory", "catalog", "domain"},
    "wire": {"planning", "engine", "memory", "catalog", "domain", "v1"},
    "server": {"wire", "planning", "engine", "memory", "catalog", "domain", "v1"},
    "cli": {"server", "client", "wire", "planning", "engine", "memory", "catalog", "domain", "v1"},
}
CLIENT = {"client": {"v1"}, "v1": set()}
ONLY_IN = {
    # top-level module from elsewhere: who may import it
    "durable_rules_engine": {"engine/durable.py"},
    "durable": set(),
    "yaml": {"engine/strict_yaml.py", "cli"},
    "grpc": {"server", "cli"},
    "typer": {"cli"},
    "rich": {"cli"},
    "socket": {"server"},
}


@cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Return line and absolute name of every import, those inside functions included."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield node.lineno, node.module or ""
            # `from rungwise import planning` names the package in its list.
            if node.module == "rungwise":
                yield from ((node.lineno, f"rungwise.{alias.name}") for alias in node.names)


def our_packages(path: Path) -> Iterator[tuple[int, str]]:
    for line, name in imports(path):
        parts = name.split(".")
        if parts[0] == "rungwise" and len(parts) > 1:
            yield line, parts[1]


def test_every_package_has_its_place() -> None:
    assert {path.name for path in SERVICE.iterdir() if any(path.glob("*.py"))} == BELOW.keys()
    assert not list(SERVICE.glob("*.py"))  # rungwise is a namespace of three distributions' folders


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_imports_point_one_way(path: Path) -> None:
    package = path.relative_to(SERVICE).parts[0]
    allowed = BELOW[package] | {package}
    against = [f"{path.name}:{line}: {package} imports {other}" for line, other in our_packages(path)
               if other not in allowed]  # fmt: skip
    assert against == []


def test_the_client_stands_alone() -> None:
    for package, allowed in CLIENT.items():
        for path in (ROOT / "clients" / "python" / "rungwise" / package).rglob("*.py"):
            assert {other for _, other in our_packages(path)} <= allowed | {package}, path
            foreign = {name.split(".")[0] for _, name in imports(path)} - {"rungwise"}
            assert foreign.isdisjoint({"pydantic", "yaml", "typer", "rich"}), path


@pytest.mark.parametrize("module", ONLY_IN)
def test_who_imports_what_is_not_ours(module: str) -> None:
    allowed = ONLY_IN[module]
    for path, name in zip(MODULES, NAMES, strict=True):
        if name in allowed or name.split("/")[0] in allowed:
            continue
        lines = [line for line, imported in imports(path) if imported.split(".")[0] == module]
        assert lines == [], f"{name} imports {module}"


@pytest.mark.parametrize("module", [name for name, allowed in ONLY_IN.items() if allowed])
def test_what_is_confined_is_used(module: str) -> None:
    assert any(imported.split(".")[0] == module for path in MODULES for _, imported in imports(path))


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_no_file_is_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_every_module_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not text.strip() or ast.get_docstring(ast.parse(text))
    assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc"}


def test_every_rulebook_file_names_its_schema() -> None:
    files = sorted(RULEBOOK.rglob("*.yaml"))
    assert len(files) > 50
    without = [
        str(file.relative_to(RULEBOOK))
        for file in files
        if "schema_version: 1" not in file.read_text(encoding="utf-8").splitlines()
    ]
    assert without == []


def test_the_rulebook_is_only_data() -> None:
    kinds = {
        path.suffix for path in RULEBOOK.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert kinds <= {".yaml", ".csv", ".json"}


def test_the_checks_see_an_import_inside_a_function(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text("def f():\n    from rungwise.planning import plan\n    from rungwise import server\n")
    assert list(our_packages(module)) == [(2, "planning"), (3, "server")]
