"""Version of the planner, and versions of other software as comparable integers."""

import re
from functools import lru_cache
from typing import Annotated

from pydantic import StringConstraints

PLANNER_VERSION = "0.1.0"
VersionText = Annotated[str, StringConstraints(pattern=r"^\d{1,4}(\.\d{1,4}){0,3}$")]
"""A version as the rulebook gives it: "0.5.2"."""


@lru_cache(maxsize=256)
def version_number(text: str) -> int:
    """Return major·10000 + minor·100 + patch: "2.4.0+cu121" is 20400.

    Parts above 99 count as 99, so that a date-like version never overtakes a major one.
    """
    # The contract's pattern has let the text in, so it begins with a number.
    numbers = [int(part) for part in re.match(r"v?(\d+(?:\.\d+)*)", text).group(1).split(".")]  # type: ignore[union-attr]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return major * 10_000 + min(minor, 99) * 100 + min(patch, 99)
