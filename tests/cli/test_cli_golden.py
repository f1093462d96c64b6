"""One plan as it is printed, in each language.

    RUNGWISE_UPDATE_GOLDEN=1 python -m pytest tests/cli/test_cli_golden.py

writes the files anew; read the difference before you keep it.
"""

import os
import re
from pathlib import Path

import pytest
from command_line import Run

GOLDEN = Path(__file__).parent / "golden"
JOB = ("explain", "Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "2", "--max-model-len", "50000")
QUESTIONS = ("--why-not", "SP=2", "--why-not", "Env + Offload")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_transcript(run: Run, language: str) -> None:
    result = run(*JOB, *QUESTIONS, "--lang", language)
    # The ids change with every change of the rulebook, also where it does not matter here.
    printed = re.sub(r"\b([0-9a-f]{64}|[0-9a-f]{32})\b", lambda id_: "·" * len(id_.group()), result.stdout)
    file = GOLDEN / f"explain.{language}.txt"
    if os.environ.get("RUNGWISE_UPDATE_GOLDEN"):
        file.write_text(printed, encoding="utf-8")
    assert (result.code, result.stderr) == (0, "")
    assert printed == file.read_text(encoding="utf-8")
