"""The command `serve`."""

from collections.abc import Mapping
from typing import Any

from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.server.options import server_options
from rungwise.server.serve import serve


def run_server(settings: Mapping[str, Any]) -> int:
    """Serve with the settings that are not None until told to stop. Raises InvalidRequest, told by option."""
    try:
        options = server_options(**{name: value for name, value in settings.items() if value is not None})
    except InvalidRequest as error:
        raise InvalidRequest(
            [FieldViolation(_flag(v.field), v.description, v.suggestion) for v in error.violations]
        ) from error
    return serve(options)


def _flag(setting: str) -> str:
    return "--" + setting.replace("_", "-") if setting else ""
