"""The rulebook that ships, loaded once."""

import pytest
from rungwise.planning.knowledge import Knowledge, load_knowledge


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    return load_knowledge(matcher="portable")
