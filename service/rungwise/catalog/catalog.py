"""The catalog: GPUs, models and architectures, read from the rulebook's tables."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from rungwise.catalog.names import LONGEST_NAME, bare_name, gpu_key, model_key, nearest, shown
from rungwise.domain.errors import InvalidRulebook, NotFound, RulebookProblem
from rungwise.domain.model import Architecture, Gpu, Model

GPUS_FILE = "catalog/gpus.yaml"
MODELS_FILE = "catalog/models.yaml"
ARCHITECTURES_FILE = "catalog/architectures.yaml"

_SEQUENCE_PARALLEL = ("supported", "unsupported", "unknown")
_INTERCONNECTS = ("nvlink", "pcie", "hccs", "infinity_fabric")
_POSITIVE_DIMENSIONS = (
    "num_hidden_layers",
    "hidden_size",
    "intermediate_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
)

Row = TypeVar("Row", bound=BaseModel)
Aliased = tuple[Row, tuple[str, ...]]


class Catalog:
    """GPUs, models and architectures by name. Made by `from_documents`; never changes."""

    def __init__(
        self,
        gpus: Iterable[Gpu],
        models: Iterable[Aliased[Model]],
        architectures: Iterable[Architecture],
    ) -> None:
        """Index what `from_documents` has checked; `models` come with their aliases."""
        self._gpus = tuple(sorted(gpus, key=lambda gpu: gpu.id))
        self._gpu_spellings = {gpu.id: _gpu_names(gpu) for gpu in self._gpus}
        self._gpu_by_key = {gpu_key(name): gpu for gpu in self._gpus for name in _gpu_names(gpu)}
        self._models_by_bare_name: dict[str, list[Model]] = {}
        self._model_by_key: dict[str, Model] = {}
        self._model_spellings: dict[str, tuple[str, ...]] = {}
        for model, aliases in sorted(models, key=lambda row: row[0].id):
            bare = bare_name(model.id)
            self._models_by_bare_name.setdefault(model_key(bare), []).append(model)
            self._model_by_key |= {model_key(name): model for name in (model.id, *aliases)}
            self._model_spellings[model.id] = (model.id, bare, *aliases)
        self._models = tuple(self._model_by_key[model_key(name)] for name in self._model_spellings)
        self._architectures = {architecture.model_type: architecture for architecture in architectures}

    @classmethod
    def from_documents(cls, documents: Mapping[str, Any]) -> "Catalog":
        """Read the parsed YAML of the rulebook; keys are paths inside it, such as `catalog/gpus.yaml`.

        Raises InvalidRulebook with every fault of the three tables.
        """
        problems: list[RulebookProblem] = []
        gpus = _read_table(documents, GPUS_FILE, "gpus", "id", Gpu, _gpu_faults, problems)
        models = _read_table(documents, MODELS_FILE, "models", "id", Model, _model_faults, problems)
        architectures = _read_table(
            documents,
            ARCHITECTURES_FILE,
            "architectures",
            "model_type",
            Architecture,
            _architecture_faults,
            problems,
        )
        _check_names(GPUS_FILE, [(gpu.id, _gpu_names(gpu)) for gpu, _ in gpus], gpu_key, problems)
        _check_names(
            MODELS_FILE, [(model.id, (model.id, *names)) for model, names in models], model_key, problems
        )
        _check_bare_names(models, problems)
        types = [(row.model_type, (row.model_type,)) for row, _ in architectures]
        _check_names(ARCHITECTURES_FILE, types, str, problems)
        if problems:
            raise InvalidRulebook(problems)
        return cls((gpu for gpu, _ in gpus), models, (row for row, _ in architectures))

    def gpus(self) -> tuple[Gpu, ...]:
        """All GPUs, by id."""
        return self._gpus

    def models(self) -> tuple[Model, ...]:
        """All models, by id."""
        return self._models

    def gpu(self, name: str, field: str = "hardware.gpu") -> Gpu:
        """Find a GPU by id, name or alias. `field` is the place of the name in the request.

        Raises NotFound with the nearest ids.
        """
        gpu = self._gpu_by_key.get(gpu_key(name)) if len(name) <= LONGEST_NAME else None
        if gpu is None:
            hint = "name a GPU of the catalog (ListGpus lists them), with free_gib if its memory differs"
            raise NotFound("GPU", shown(name), field, nearest(name, self._gpu_spellings), hint)
        return gpu

    def model(self, name: str, field: str = "model.name") -> Model:
        """Find a model by id, alias, or id without the organisation. `field` is the name's place in the request.

        Raises NotFound with the nearest ids; with all owners of a name that several organisations own.
        """
        key = model_key(name)
        model = self._model_by_key.get(key)
        if model is not None:
            return model
        owners = self._models_by_bare_name.get(key, [])
        if len(owners) == 1:
            return owners[0]
        if owners:
            hint = "several organisations own this name: name the organisation too"
            raise NotFound("model", shown(name), field, [model.id for model in owners], hint)
        hint = "give the path of its config.json (in a request: model.hf_config_json) or model.dimensions instead"
        raise NotFound("model", shown(name), field, nearest(name, self._model_spellings), hint)

    def architecture(self, model_type: str) -> Architecture:
        """Find what holds for a `model_type`; of one that the catalog does not hold nothing is known."""
        known = self._architectures.get(model_type)
        return known or Architecture(model_type=model_type, sequence_parallel="unknown")


def _gpu_names(gpu: Gpu) -> tuple[str, ...]:
    return (gpu.id, gpu.name, *gpu.aliases)


def _read_table(
    documents: Mapping[str, Any],
    file: str,
    table: str,
    key: str,
    kind: type[Row],
    faults: Callable[[Row], Iterable[str]],
    problems: list[RulebookProblem],
) -> list[Aliased[Row]]:
    """Read the rows that are sound, with the aliases of each; report what is wrong with the others."""

    def report(message: str) -> None:
        problems.append(RulebookProblem(file, 0, 0, message))

    if file not in documents:
        report("the file is missing")
        return []
    document = documents[file]
    if not isinstance(document, dict):
        report("the file must be a mapping")
        return []
    if document.get("schema_version") != 1 or isinstance(document.get("schema_version"), bool):
        report("schema_version must be 1")
    for unknown in document.keys() - {"schema_version", table}:
        report(f"unknown key {shown(str(unknown))!r}")
    rows = document.get(table)
    if not isinstance(rows, list):
        report(f"{table} must be a list")
        return []
    sound: list[Aliased[Row]] = []
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            report(f"{table}[{position}]: must be a mapping")
            continue
        place = f"{table}[{position}] ({shown(str(row.get(key, '?')))})"
        parsed, aliases, row_faults = _read_row(row, key, kind)
        if parsed is not None:
            row_faults += faults(parsed)
        for fault in row_faults:
            report(f"{place}: {fault}")
        if parsed is not None and not row_faults:
            sound.append((parsed, aliases))
    return sound


def _read_row(
    row: dict[Any, Any], key: str, kind: type[Row]
) -> tuple[Row | None, tuple[str, ...], list[str]]:
    """Parse one row: the object, its aliases, its faults. No object if its types are wrong."""
    values = dict(row)
    faults: list[str] = []
    aliases = values.pop("aliases", [])
    if not isinstance(aliases, list) or not all(
        isinstance(alias, str) and alias.strip() for alias in aliases
    ):
        faults.append("aliases must be a list of names")
        aliases = []
    if "aliases" in kind.model_fields:
        values["aliases"] = tuple(aliases)
    for required in (key, "source"):
        if required not in values:
            faults.append(f"{required} is missing")
        elif isinstance(values[required], str) and not values[required].strip():
            faults.append(f"{required} is empty")
    try:
        return kind.model_validate(values, strict=True), tuple(aliases), faults
    except ValidationError as error:
        faults += filter(None, map(_describe, error.errors(include_url=False, include_context=False)))
        return None, (), faults


def _describe(error: Any) -> str:
    """Say in our words what pydantic found."""
    name = shown(".".join(map(str, error["loc"])))
    if error["type"] == "missing":
        return "" if name in ("id", "model_type", "source") else f"{name} is missing"
    if error["type"] in ("extra_forbidden", "invalid_key"):
        return f"unknown key {name!r}"
    message = str(error["msg"])
    return f"{name}: {message[:1].lower()}{message[1:]}"


def _gpu_faults(gpu: Gpu) -> list[str]:
    faults = []
    if not 0 < gpu.usable_gib <= gpu.memory_gib:
        faults.append(
            f"usable_gib {gpu.usable_gib:g} must be above 0 and at most memory_gib {gpu.memory_gib:g}"
        )
    if gpu.bf16_dense_tflops is not None and gpu.bf16_dense_tflops <= 0:
        faults.append("bf16_dense_tflops must be above 0")
    if gpu.interconnect not in _INTERCONNECTS:
        faults.append(f"interconnect must be one of {', '.join(_INTERCONNECTS)}")
    major, dot, minor = gpu.compute_capability.partition(".")
    if gpu.compute_capability and not (
        dot and major.isdecimal() and minor.isdecimal() and len(major) < 3 > len(minor)
    ):
        faults.append('compute_capability must look like "8.0"')
    return faults


def _model_faults(model: Model) -> list[str]:
    faults = [f"{name} must be at least 1" for name in _POSITIVE_DIMENSIONS if getattr(model, name) < 1]
    if not faults and model.num_attention_heads % model.num_key_value_heads:
        faults.append("num_attention_heads must be a multiple of num_key_value_heads")
    if not 0 <= model.num_experts_per_tok <= model.num_experts:
        faults.append("num_experts_per_tok must be from 0 to num_experts")
    if model.num_experts and not model.num_experts_per_tok:
        faults.append("a model with experts needs num_experts_per_tok")
    for name in ("parameters", "max_position_embeddings"):
        value = getattr(model, name)
        if value is not None and value < 1:
            faults.append(f"{name} must be at least 1")
    return faults


def _architecture_faults(architecture: Architecture) -> list[str]:
    faults = []
    if architecture.sequence_parallel not in _SEQUENCE_PARALLEL:
        faults.append(f"sequence_parallel must be one of {', '.join(_SEQUENCE_PARALLEL)}")
    if architecture.yarn_original_context < 0 or architecture.yarn_max_native_context < 0:
        faults.append("a YaRN context must not be negative")
    return faults


def _check_names(
    file: str,
    rows: Iterable[tuple[str, tuple[str, ...]]],
    key: Callable[[str], str],
    problems: list[RulebookProblem],
) -> None:
    """Report each name that two rows claim; `key` folds names that are the same."""
    owners: dict[str, str] = {}
    for identifier, names in rows:
        folded = {key(name) for name in names}
        for name in sorted(folded & owners.keys()):
            message = (
                f"the name {shown(name)!r} belongs to both {shown(owners[name])} and {shown(identifier)}"
            )
            problems.append(RulebookProblem(file, 0, 0, message))
        owners |= dict.fromkeys(folded - owners.keys(), identifier)


def _check_bare_names(models: list[Aliased[Model]], problems: list[RulebookProblem]) -> None:
    """Report an alias that would hide another model's id without its organisation."""
    owners: dict[str, set[str]] = {}
    for model, _ in models:
        owners.setdefault(model_key(bare_name(model.id)), set()).add(model.id)
    for model, aliases in models:
        for alias in aliases:
            for other in sorted(owners.get(model_key(alias), set()) - {model.id}):
                message = f"the alias {shown(alias)!r} of {shown(model.id)} hides {shown(other)}"
                problems.append(RulebookProblem(MODELS_FILE, 0, 0, message))
