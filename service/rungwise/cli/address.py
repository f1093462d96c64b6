"""HOST:PORT, as it is typed."""

import re

from rungwise.cli.failure import usage

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[^\s\x00-\x20\x7f/:\[\]]+):([0-9]{1,5})")


def checked_address(place: str, address: str) -> str:
    """Return an address that can be one. Raises a usage failure, told as of `place`, for any other text.

    gRPC takes nearly anything, and wraps a port beyond 65535 around.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match[2]) <= 65_535:
        shown = address[:80].encode("unicode_escape").decode("ascii")
        raise usage(place, f"'{shown}' is not HOST:PORT", "for example 127.0.0.1:50051")
    return address
