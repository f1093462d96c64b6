"""The contract keeps its style, and a released client keeps working."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "proto" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = _generate()


def _buf(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [generate.buf(), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def _copy(folder: Path) -> Path:
    shutil.copy(ROOT / "buf.yaml", folder)
    shutil.copytree(ROOT / "proto", folder / "proto")
    return folder


def test_the_contract_is_in_style():
    result = _buf(ROOT, "lint")
    assert (result.returncode, result.stdout) == (0, "")


def test_the_contract_does_not_break_a_released_client():
    result = _buf(ROOT, "breaking", "--against", "proto/released.binpb")
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        pytest.param(
            "request.proto",
            "int32 gpus = 2;",
            "int32 gpu_count = 2;",
            'Field "2" on message "Hardware" changed name from "gpus" to "gpu_count".',
            id="renamed",
        ),
        pytest.param(
            "request.proto",
            "  optional int32 cpu_cores = 6;\n",
            "",
            'Previously present field "6" with name "cpu_cores" on message "Hardware" was deleted',
            id="removed",
        ),
        pytest.param(
            "plan.proto",
            "double gib = 2;",
            "string gib = 2;",
            'Field "2" with name "gib" on message "MemoryComponent" changed type from "double" to "string"',
            id="another type",
        ),
        pytest.param(
            "plan.proto",
            "OUTCOME_INFEASIBLE = 2;",
            "OUTCOME_IMPOSSIBLE = 2;",
            'Enum value "2" on enum "Outcome" changed name from "OUTCOME_INFEASIBLE" to "OUTCOME_IMPOSSIBLE"',
            id="renamed enum value",
        ),
    ],
)
def test_a_break_is_found(tmp_path: Path, file: str, old: str, new: str, message: str):
    changed = _copy(tmp_path) / "proto" / "rungwise" / "v1" / file
    text = changed.read_text()
    assert text.count(old) == 1
    changed.write_text(text.replace(old, new))
    result = _buf(tmp_path, "breaking", "--against", "proto/released.binpb")
    assert result.returncode == 100
    assert message in result.stdout


def test_a_new_field_is_no_break(tmp_path: Path):
    changed = _copy(tmp_path) / "proto" / "rungwise" / "v1" / "request.proto"
    text = changed.read_text()
    changed.write_text(
        text.replace("int32 gpus = 2;", "int32 gpus = 2;\n  // Racks.\n  optional int32 racks = 900;")
    )
    assert "racks" in changed.read_text()
    result = _buf(tmp_path, "breaking", "--against", "proto/released.binpb")
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.skipif(
    generate.installed_compiler() != generate.COMPILER,
    reason=f"the stubs are made with grpcio-tools {generate.COMPILER}, "
    f"here is {generate.installed_compiler() or 'none'}",
)
def test_the_stubs_are_those_of_the_contract(tmp_path: Path):
    made = {path.name: path.read_text() for path in generate.generate(tmp_path)}
    stubs = ROOT / "clients" / "python" / "rungwise" / "v1"
    kept = {path.name: path.read_text() for path in stubs.glob("*_pb2*") if path.suffix in (".py", ".pyi")}
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == []


def test_another_compiler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(generate, "installed_compiler", lambda: "1.80.0")
    with pytest.raises(SystemExit, match=re.escape("needs grpcio-tools 1.76.0, found 1.80.0")):
        generate.generate(tmp_path)
    assert list(tmp_path.iterdir()) == []
