"""The README's transcript is what its command prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_transcript_is_what_is_printed() -> None:
    """Regenerate with RUNGWISE_UPDATE_GOLDEN=1; read what changes."""
    text = README.read_text(encoding="utf-8")
    command = re.search(r"bin/rungwise (plan .+)\n", text)
    assert command
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    arguments = [sys.executable, "-m", "rungwise.cli", *command[1].split()]
    printed = subprocess.run(
        arguments, capture_output=True, check=True, env=environment, timeout=60
    ).stdout.decode()
    head, _, rest = text.partition("<!-- transcript -->\n```text\n")
    shown, _, tail = rest.partition("```\n")
    if os.environ.get("RUNGWISE_UPDATE_GOLDEN"):
        README.write_text(f"{head}<!-- transcript -->\n```text\n{printed}```\n{tail}", encoding="utf-8")
        shown = printed
    assert shown == printed
