"""Write the Python stubs of the public contract: `python proto/generate.py`.

`--release` also writes proto/released.binpb, the image that `buf breaking` holds every later contract against
(`buf build --exclude-source-info -o proto/released.binpb`). Run it when a version is released, never to
silence the check.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

COMPILER = "1.76.0"
"""The grpcio-tools version that writes the stubs: newer ones write stubs that refuse protobuf 6."""
ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
STUBS = ROOT / "clients" / "python"
IMAGE = PROTO / "released.binpb"


def installed_compiler() -> str:
    """Return the version of the installed grpcio-tools; empty if there is none."""
    try:
        return version("grpcio-tools")
    except PackageNotFoundError:
        return ""


def generate(destination: Path) -> list[Path]:
    """Write the stubs under `destination` and return their paths. Raises SystemExit if it cannot."""
    if installed_compiler() != COMPILER:
        found = installed_compiler() or "none"
        raise SystemExit(
            f"needs grpcio-tools {COMPILER}, found {found}: pip install grpcio-tools=={COMPILER}"
        )
    from grpc_tools import protoc

    contract = sorted(PROTO.glob("rungwise/**/*.proto"))
    services = [path for path in contract if "\nservice " in path.read_text(encoding="utf-8")]
    includes = [f"--proto_path={PROTO}", f"--proto_path={files('grpc_tools') / '_proto'}"]
    _compile(
        protoc.main, [*includes, f"--python_out={destination}", f"--pyi_out={destination}"], paths=contract
    )
    # A file without a service would get a module that does nothing.
    _compile(protoc.main, [*includes, f"--grpc_python_out={destination}"], paths=services)
    return sorted(destination.glob("rungwise/v1/*_pb2*"))


def _compile(main: Callable[[list[str]], int], options: Sequence[str], paths: Sequence[Path]) -> None:
    if main(["protoc", *options, *map(str, paths)]) != 0:
        raise SystemExit("the compiler refused the contract")


def buf() -> str:
    """Return the path of buf, which is installed beside Python. Raises SystemExit if there is none."""
    beside = Path(sys.executable).parent / ("buf.exe" if os.name == "nt" else "buf")
    found = str(beside) if beside.exists() else shutil.which("buf")
    if found is None:
        raise SystemExit("needs buf: pip install buf-bin")
    return found


def release(image: Path) -> None:
    """Write the image of the contract as it is now."""
    subprocess.run([buf(), "build", "--exclude-source-info", "-o", str(image)], cwd=ROOT, check=True)


def main() -> None:
    """Write the stubs, and on request the image."""
    parser = argparse.ArgumentParser(description="Write the Python stubs of the public contract.")
    parser.add_argument(
        "--release", action="store_true", help="also write the image that later contracts must not break"
    )
    if parser.parse_args().release:
        release(IMAGE)
    for path in generate(STUBS):
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
