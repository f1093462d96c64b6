"""Standard streams in every state."""

import os
import subprocess
import sys
from typing import IO

from command_line import SECONDS

PLAN = ("plan", "Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480")
FAULTY = ("plan", "Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "0", "--max-model-len", "20480")


def shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    script = f'exec "$0" -m rungwise.cli "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", script, sys.executable, *arguments], capture_output=True, timeout=SECONDS
    )


def test_closed_streams() -> None:
    assert shell(">&-", *PLAN).returncode == 0
    assert shell(">&-", *PLAN).stderr == b""
    assert shell(">&- 2>&-", *PLAN, "--output", "json").returncode == 0
    assert shell("2>&-", *FAULTY).returncode == 2
    assert shell(">&- 2>&- <&-", *FAULTY).returncode == 2
    refused = shell("<&-", "plan", "--requests", "-")
    assert refused.returncode == 2
    assert b"standard input is closed" in refused.stderr


def test_a_full_disk() -> None:
    for output in ("table", "json", "yaml", "env"):
        done = shell(">/dev/full", *PLAN, "--output", output)
        assert done.returncode == 5
        assert done.stderr == b"rungwise: cannot write the answer: No space left on device\n"


def test_a_reader_that_left() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        for arguments in (PLAN, (*PLAN, "--output", "json"), ("models",), ("rules", "list"), ("--help",)):
            assert into(pipe, *arguments) == (141, b""), arguments


def into(pipe: IO[bytes], *arguments: str) -> tuple[int, bytes]:
    command = [sys.executable, "-m", "rungwise.cli", *arguments]
    done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, timeout=SECONDS)
    return done.returncode, done.stderr
