"""The rulebook that ships, loaded once for all tests of the planner."""

import pytest
from rungwise.engine.documents import Documents, read_documents
from rungwise.planning.knowledge import Knowledge, load_knowledge, rulebook_directory


@pytest.fixture(scope="session")
def documents() -> Documents:
    """The files of the rulebook."""
    return read_documents([rulebook_directory()])


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    """The rulebook, with the matcher that this Python gets."""
    return load_knowledge()
