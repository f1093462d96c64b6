"""What a command line did."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SECONDS = 60
"""No command takes this long; one that hangs fails its test."""


@dataclass(frozen=True)
class Result:
    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def fields(self) -> list[str]:
        return [violation["field"] for violation in self.json["error"]["field_violations"]]


Run = Callable[..., Result]
