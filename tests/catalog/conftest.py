from pathlib import Path
from typing import Any

import pytest
import yaml
from rungwise.catalog.catalog import Catalog

RULEBOOK = Path(__file__).parents[2] / "rules" / "rungwise" / "rulebook"


@pytest.fixture(scope="session")
def documents() -> dict[str, Any]:
    files = (RULEBOOK / "catalog").glob("*.yaml")
    return {
        str(file.relative_to(RULEBOOK)): yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        for file in files
    }


@pytest.fixture(scope="session")
def catalog(documents: dict[str, Any]) -> Catalog:
    return Catalog.from_documents(documents)


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"
