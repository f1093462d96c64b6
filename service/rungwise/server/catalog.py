"""CatalogService: the models, GPUs and rules that the server plans with."""

from collections.abc import Callable
from typing import Any

import grpc
from rungwise.domain.errors import FieldViolation, InvalidRequest
from rungwise.domain.model import Model
from rungwise.engine.rule import LOCALES
from rungwise.memory import parameters
from rungwise.planning.knowledge import Knowledge
from rungwise.server.deadline import Deadline
from rungwise.server.method import unary_method
from rungwise.server.receiving import ReceiveWatch
from rungwise.v1 import catalog_service_pb2 as v1
from rungwise.v1 import plan_pb2
from rungwise.wire import to_proto

SERVICE = v1.DESCRIPTOR.services_by_name["CatalogService"].full_name


class CatalogViewer:
    """The service's answers from one knowledge."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Show the catalog and the rules of `knowledge`."""
        self._knowledge = knowledge

    def handlers(self, watch: ReceiveWatch) -> dict[str, "grpc.RpcMethodHandler[bytes, bytes]"]:
        """Return the service's methods by full name."""
        methods: dict[str, tuple[type[Any], Callable[[Any, Deadline], bytes]]] = {
            "ListModels": (v1.ListModelsRequest, self.list_models),
            "GetModel": (v1.GetModelRequest, self.get_model),
            "ListGpus": (v1.ListGpusRequest, self.list_gpus),
            "GetGpu": (v1.GetGpuRequest, self.get_gpu),
            "ListRules": (v1.ListRulesRequest, self.list_rules),
            "GetRule": (v1.GetRuleRequest, self.get_rule),
        }
        return {
            f"/{SERVICE}/{name}": unary_method(f"/{SERVICE}/{name}", request, answer, watch)
            for name, (request, answer) in methods.items()
        }

    def list_models(self, _request: v1.ListModelsRequest, _deadline: Deadline) -> bytes:
        """Return every model, by id."""
        return _bytes(v1.ListModelsResponse(models=map(_model, self._knowledge.catalog.models())))

    def get_model(self, request: v1.GetModelRequest, _deadline: Deadline) -> bytes:
        """Return one model. Raises NotFound."""
        _require(request.name, "name", 'for example "Qwen/Qwen3-8B"')
        return _bytes(v1.GetModelResponse(model=_model(self._knowledge.catalog.model(request.name, "name"))))

    def list_gpus(self, _request: v1.ListGpusRequest, _deadline: Deadline) -> bytes:
        """Return every GPU, by id."""
        return _bytes(v1.ListGpusResponse(gpus=map(to_proto.gpu, self._knowledge.catalog.gpus())))

    def get_gpu(self, request: v1.GetGpuRequest, _deadline: Deadline) -> bytes:
        """Return one GPU. Raises NotFound."""
        _require(request.name, "name", 'for example "a100-80gb"')
        return _bytes(v1.GetGpuResponse(gpu=to_proto.gpu(self._knowledge.catalog.gpu(request.name, "name"))))

    def list_rules(self, request: v1.ListRulesRequest, _deadline: Deadline) -> bytes:
        """Return the rules of a kind, by id. Raises InvalidRequest."""
        kind = plan_pb2.RuleKind.DESCRIPTOR.values_by_number.get(request.kind)
        faults = _locale_faults(request.locale)
        if kind is None:
            names = ", ".join(plan_pb2.RuleKind.keys())
            faults.insert(0, FieldViolation("kind", f"unknown value {request.kind}", f"known: {names}"))
        if faults:
            raise InvalidRequest(faults)
        rules = (to_proto.rule(rule, request.locale or LOCALES[0]) for rule in self._knowledge.ruleset.rules)
        return _bytes(
            v1.ListRulesResponse(
                rules=[rule for rule in rules if not request.kind or rule.kind == request.kind],
                rulebook_revision=self._knowledge.revision,
            )
        )

    def get_rule(self, request: v1.GetRuleRequest, _deadline: Deadline) -> bytes:
        """Return one rule. Raises InvalidRequest and NotFound."""
        faults = _locale_faults(request.locale)
        if faults:
            raise InvalidRequest(faults)
        _require(request.id, "id", "ListRules lists the ids")
        rule = self._knowledge.ruleset.rule(request.id)
        return _bytes(v1.GetRuleResponse(rule=to_proto.rule(rule, request.locale or LOCALES[0])))


def _model(model: Model) -> v1.Model:
    return to_proto.model(model, parameters.total(model), parameters.active(model))


def _require(value: str, field: str, example: str) -> None:
    if not value:
        raise InvalidRequest([FieldViolation(field, "is missing", example)])


def _locale_faults(locale: str) -> list[FieldViolation]:
    if not locale or locale in LOCALES:
        return []
    return [FieldViolation("locale", f"unknown value {locale[:40]!r}", f"known: {', '.join(LOCALES)}")]


def _bytes(
    response: v1.ListModelsResponse
    | v1.GetModelResponse
    | v1.ListGpusResponse
    | v1.GetGpuResponse
    | v1.ListRulesResponse
    | v1.GetRuleResponse,
) -> bytes:
    return response.SerializeToString(deterministic=True)
