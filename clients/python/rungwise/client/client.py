"""The client: one channel, a deadline on every call, typed errors."""

import math
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar, Unpack

import grpc
from google.protobuf.message import Message
from rungwise.client.errors import InternalError
from rungwise.client.job import Job, plan_request
from rungwise.client.retry import service_config
from rungwise.client.status_details import error_of
from rungwise.v1 import catalog_service_pb2, plan_pb2, planner_service_pb2

Response = TypeVar("Response", bound=Message)
_PLANNER = "rungwise.v1.PlannerService"
_CATALOG = "rungwise.v1.CatalogService"
_LARGEST_METADATA_BYTES = 65_536
"""An error that names every fault of a request may need more than gRPC's 8 KiB."""


class RungwiseClient:
    """A client of one server. Safe to share between threads; close it, or use it as a context manager.

    Every method returns the response message of `rungwise.v1` and raises a RungwiseClientError.

    >>> with RungwiseClient("127.0.0.1:50051") as client:  # doctest: +SKIP
    ...     plan = client.plan(model="Qwen/Qwen3-8B", gpu="a100-80gb", gpus=4, max_model_len=20480)
    ...     print(plan.configuration.label, dict(plan.configuration.env))
    ...     print(plan.summary)
    """

    def __init__(
        self,
        target: str,
        *,
        timeout: float = 5.0,
        retries: int = 2,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        """Connect to `target`, "HOST:PORT", on the first call.

        `timeout` is the deadline of a call in seconds, all attempts together. A call that the server could not take
        is tried `retries` times again, at most 4. With `credentials` (`grpc.ssl_channel_credentials()`) the
        connection is encrypted.
        """
        self._target = target
        self._timeout = _checked(timeout)
        options = [
            ("grpc.service_config", service_config(retries)),
            ("grpc.max_metadata_size", _LARGEST_METADATA_BYTES),
        ]
        self._channel = (
            grpc.secure_channel(target, credentials, options)
            if credentials
            else grpc.insecure_channel(target, options)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls that are under way are cancelled."""
        self._channel.close()

    def plan(
        self,
        request: planner_service_pb2.PlanRequest | None = None,
        *,
        timeout: float | None = None,
        **job: Unpack[Job],
    ) -> planner_service_pb2.PlanResponse:
        """Return the cheapest configuration that fits, and why every cheaper one does not.

        The job is a ready `request`, or keyword arguments: the fields of PlanRequest by their own names.
        """
        answer = self._call(
            _PLANNER, "Plan", _job(request, job), planner_service_pb2.PlanResponse.FromString, timeout
        )
        _answered(answer)
        return answer

    def explain(
        self,
        request: planner_service_pb2.PlanRequest | None = None,
        *,
        why_not: Sequence[str] = (),
        timeout: float | None = None,
        **job: Unpack[Job],
    ) -> planner_service_pb2.ExplainResponse:
        """Plan a job, and say why the rungs `why_not` ("Env + SP=2") were not chosen and where the answer changes."""
        question = planner_service_pb2.ExplainRequest(plan=_job(request, job), why_not=why_not)
        answer = self._call(
            _PLANNER, "Explain", question, planner_service_pb2.ExplainResponse.FromString, timeout
        )
        _answered(answer.plan)
        return answer

    def list_models(self, *, timeout: float | None = None) -> catalog_service_pb2.ListModelsResponse:
        """Return the models of the catalog, by id."""
        request = catalog_service_pb2.ListModelsRequest()
        return self._call(
            _CATALOG, "ListModels", request, catalog_service_pb2.ListModelsResponse.FromString, timeout
        )

    def get_model(self, name: str, *, timeout: float | None = None) -> catalog_service_pb2.GetModelResponse:
        """Return one model, by catalog name."""
        request = catalog_service_pb2.GetModelRequest(name=name)
        return self._call(
            _CATALOG, "GetModel", request, catalog_service_pb2.GetModelResponse.FromString, timeout
        )

    def list_gpus(self, *, timeout: float | None = None) -> catalog_service_pb2.ListGpusResponse:
        """Return the GPUs of the catalog, by id."""
        request = catalog_service_pb2.ListGpusRequest()
        return self._call(
            _CATALOG, "ListGpus", request, catalog_service_pb2.ListGpusResponse.FromString, timeout
        )

    def get_gpu(self, name: str, *, timeout: float | None = None) -> catalog_service_pb2.GetGpuResponse:
        """Return one GPU, by id or alias."""
        request = catalog_service_pb2.GetGpuRequest(name=name)
        return self._call(_CATALOG, "GetGpu", request, catalog_service_pb2.GetGpuResponse.FromString, timeout)

    def list_rules(
        self,
        *,
        kind: plan_pb2.RuleKind | str | None = None,
        locale: str = "",
        timeout: float | None = None,
    ) -> catalog_service_pb2.ListRulesResponse:
        """Return the rules, by id: all, or of one `kind` ("RULE_KIND_LIMIT"), in the language `locale`."""
        request = catalog_service_pb2.ListRulesRequest(kind=kind, locale=locale)
        return self._call(
            _CATALOG, "ListRules", request, catalog_service_pb2.ListRulesResponse.FromString, timeout
        )

    def get_rule(
        self, rule_id: str, *, locale: str = "", timeout: float | None = None
    ) -> catalog_service_pb2.GetRuleResponse:
        """Return one rule, by id, in the language `locale`."""
        request = catalog_service_pb2.GetRuleRequest(id=rule_id, locale=locale)
        return self._call(
            _CATALOG, "GetRule", request, catalog_service_pb2.GetRuleResponse.FromString, timeout
        )

    def _call(
        self,
        service: str,
        method: str,
        request: Message,
        read: Callable[[bytes], Response],
        timeout: float | None,
    ) -> Response:
        seconds = self._timeout if timeout is None else _checked(timeout)
        call = self._channel.unary_unary(
            f"/{service}/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=read,
        )
        try:
            return call(request, timeout=seconds)
        except grpc.RpcError as failed:
            raise error_of(failed, self._target, seconds) from None


def _job(request: planner_service_pb2.PlanRequest | None, job: Job) -> planner_service_pb2.PlanRequest:
    if request is None:
        return plan_request(job)
    if job:
        raise TypeError(f"give a request or its fields, not both: {', '.join(job)}")
    return request


def _answered(plan: planner_service_pb2.PlanResponse) -> None:
    """Refuse an answer that says nothing: no server sends one."""
    if plan.outcome == plan_pb2.OUTCOME_UNSPECIFIED:
        raise InternalError("UNKNOWN", "the server sent an answer without an outcome")


def _checked(timeout: float) -> float:
    if not 0 < timeout < math.inf:
        raise ValueError(f"timeout must be a number of seconds above 0, is {timeout}")
    return timeout
