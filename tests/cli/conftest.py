"""Ways to run a command line: in this process, and as a process of its own."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import SECONDS, Result, Run
from rungwise.cli.__main__ import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line in this process."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def run_process() -> Run:
    """Run a command line as a process; `environment` is added to this one's."""

    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "rungwise.cli", *arguments],
            input=stdin,
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, "COLUMNS": "100", **environment},
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def broken_overlay(tmp_path: Path) -> Path:
    """An overlay whose only rule is not YAML."""
    overlay = tmp_path / "broken"
    (overlay / "limits").mkdir(parents=True)
    (overlay / "limits" / "acme.cap.yaml").write_text("schema_version: 1\nid: [acme.cap\ntitle: x\n")
    return overlay
