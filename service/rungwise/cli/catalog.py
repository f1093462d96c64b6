"""The commands `models` and `gpus`."""

from collections.abc import Sequence
from pathlib import Path

from rungwise.catalog.catalog import Catalog
from rungwise.cli.listing import ListOutput, print_table
from rungwise.cli.output import write_json
from rungwise.engine.documents import read_documents
from rungwise.memory import parameters
from rungwise.planning.knowledge import rulebook_directory
from rungwise.v1.catalog_service_pb2 import ListGpusResponse, ListModelsResponse
from rungwise.wire import to_proto
from rungwise.wire.to_json import to_json


def list_models(overlays: Sequence[Path], output: ListOutput) -> int:
    """Print every model. Raises InvalidRulebook."""
    models = _catalog(overlays).models()
    if output is ListOutput.JSON:
        rows = [to_proto.model(model, parameters.total(model), parameters.active(model)) for model in models]
        write_json(to_json(ListModelsResponse(models=rows), indent=2))
        return 0
    print_table(
        ("model", "type", "parameters", "layers", "hidden", "context"),
        (
            (
                model.id,
                model.model_type,
                f"{parameters.total(model) / 1e9:.2f} B",
                str(model.num_hidden_layers),
                str(model.hidden_size),
                f"{model.max_position_embeddings:,}" if model.max_position_embeddings else "-",
            )
            for model in models
        ),
        numbers=(2, 3, 4, 5),
    )
    return 0


def list_gpus(overlays: Sequence[Path], output: ListOutput) -> int:
    """Print every GPU. Raises InvalidRulebook."""
    gpus = _catalog(overlays).gpus()
    if output is ListOutput.JSON:
        write_json(to_json(ListGpusResponse(gpus=map(to_proto.gpu, gpus)), indent=2))
        return 0
    print_table(
        ("gpu", "name", "usable GiB", "bf16", "link", "also accepted"),
        (
            (
                gpu.id,
                gpu.name,
                # An unverified size is derived, not read from a card.
                f"{'' if gpu.usable_verified else '~'}{gpu.usable_gib:.2f}",
                "yes" if gpu.bf16 else "no",
                gpu.interconnect,
                ", ".join(gpu.aliases),
            )
            for gpu in gpus
        ),
        numbers=(2,),
    )
    return 0


def _catalog(overlays: Sequence[Path]) -> Catalog:
    return Catalog.from_documents(read_documents([rulebook_directory(), *overlays]).files)
