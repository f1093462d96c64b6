"""The client against a planner that answers as it is told: requests, errors, retries, deadlines."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from fake_planner import FakePlanner, abort
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from rungwise.client import (
    DeadlineExceededError,
    FieldViolation,
    InternalError,
    InvalidRequestError,
    NotFoundError,
    OverloadedError,
    RungwiseClient,
    RungwiseClientError,
    UnavailableError,
)
from rungwise.v1 import plan_pb2, planner_service_pb2, planner_service_pb2_grpc

JOB: dict[str, Any] = {"model": "Qwen/Qwen3-8B", "gpu": "a100-80gb", "gpus": 4, "max_model_len": 20480}
FITS = planner_service_pb2.PlanResponse(outcome=plan_pb2.OUTCOME_FEASIBLE, summary="It fits.")


def _fail(planner: FakePlanner, code: grpc.StatusCode, message: str, *details: Any, **more: Any) -> None:
    planner.answer = lambda request, context: abort(context, code, message, *details, **more)


def test_keyword_arguments_become_a_request(planner: FakePlanner):
    planner.answer = lambda request, context: FITS
    with RungwiseClient(planner.target) as client:
        answer = client.plan(
            **JOB,
            request_id="job 7",
            free_gib=79,
            gpus_per_node=None,
            software={"torch": "2.7.1"},
            rollout={"engines": 2, "colocated": False},
            packing=False,
            forbid=["cpu_offload"],
            trace_level="TRACE_LEVEL_SUMMARY",
        )
    assert answer == FITS
    assert planner.requests == [
        planner_service_pb2.PlanRequest(
            request_id="job 7",
            model={"name": "Qwen/Qwen3-8B"},
            hardware={"gpu": "a100-80gb", "gpus": 4, "free_gib": 79.0},
            workload={
                "max_model_len": 20480,
                "software": {"torch": "2.7.1"},
                "rollout": {"engines": 2, "colocated": False},
                "packing": False,
            },
            preferences={"forbid": ["cpu_offload"], "trace_level": 1},
        )
    ]


@pytest.mark.parametrize(
    ("model", "reference"),
    [
        ({"hf_config_json": "{}"}, {"hf_config_json": "{}"}),
        ({"dimensions": {"hidden_size": 64}}, {"dimensions": {"hidden_size": 64}}),
        ({"model": None, "hf_config_json": "{}"}, {"hf_config_json": "{}"}),
    ],
)
def test_a_model_that_is_not_in_the_catalog(planner: FakePlanner, model: Any, reference: Any):
    planner.answer = lambda request, context: FITS
    with RungwiseClient(planner.target) as client:
        client.plan(**{**JOB, "model": None, **model})
    assert planner.requests[0].model == planner_service_pb2.PlanRequest(model=reference).model


def test_a_ready_request_is_sent_as_it_is(planner: FakePlanner):
    planner.answer = lambda request, context: FITS
    request = planner_service_pb2.PlanRequest(hardware={"gpus": 3})
    with RungwiseClient(planner.target) as client:
        assert client.plan(request) == FITS
        with pytest.raises(TypeError, match="not both: gpus"):
            client.plan(request, gpus=4)
    assert planner.requests == [request]


def test_the_generated_stubs_ask_the_same(planner: FakePlanner):
    planner.answer = lambda request, context: FITS
    with grpc.insecure_channel(planner.target) as channel:
        stub = planner_service_pb2_grpc.PlannerServiceStub(channel)
        assert stub.Plan(planner_service_pb2.PlanRequest(request_id="7"), timeout=5) == FITS
    assert planner.requests[0].request_id == "7"


def test_explain_asks_about_rungs(planner: FakePlanner):
    planner.answer = lambda request, context: planner_service_pb2.ExplainResponse(plan=FITS)
    with RungwiseClient(planner.target) as client:
        assert client.explain(**JOB, why_not=["Env + SP=2"]).plan == FITS
    assert planner.requests[0].why_not == ["Env + SP=2"]
    assert planner.requests[0].plan.hardware.gpus == 4


def test_the_catalog_is_shown(planner: FakePlanner):
    with RungwiseClient(planner.target) as client:
        assert client.list_models().models[0].id == "all"
        assert client.get_model("qwen3-8b").model.id == "qwen3-8b"
        assert client.list_gpus().gpus[0].id == "all"
        assert client.get_gpu("h20").gpu.id == "h20"
        rule = client.list_rules(kind="RULE_KIND_LIMIT", locale="zh").rules[0]
        assert (rule.kind, rule.title) == (plan_pb2.RULE_KIND_LIMIT, "zh")
        assert client.list_rules(kind=plan_pb2.RULE_KIND_ADVICE).rules[0].kind == plan_pb2.RULE_KIND_ADVICE
        rule = client.get_rule("gpu-memory", locale="zh").rule
        assert (rule.id, rule.title) == ("gpu-memory", "zh")


@pytest.mark.parametrize(
    ("job", "fields"),
    [
        ({"gpus": "four"}, ["hardware.gpus"]),
        ({"gpus": 10**12}, ["hardware.gpus"]),
        (
            {"gpus": 2.5, "max_model_len": 2**63, "request_id": 7},
            ["hardware.gpus", "request_id", "workload.max_model_len"],
        ),
        ({"gpu": "a\ud800"}, ["hardware.gpu"]),
        ({"free_gib": "80"}, ["hardware.free_gib"]),
        ({"software": {"touch": "2"}}, ["workload.software"]),
        ({"forbid": "cpu_offload"}, ["preferences.forbid"]),
        ({"allow": [1]}, ["preferences.allow"]),
        ({"trace_level": "FULL"}, ["preferences.trace_level"]),
        ({"hf_config_json": "{}"}, ["model"]),
    ],
)
def test_values_of_a_wrong_type_are_told_before_the_call(planner: FakePlanner, job: Any, fields: list[str]):
    with RungwiseClient(planner.target) as client, pytest.raises(InvalidRequestError) as caught:
        client.plan(**{**JOB, **job})
    assert sorted(v.field for v in caught.value.violations) == fields
    assert all(v.description for v in caught.value.violations)
    assert (caught.value.code, caught.value.reason) == ("INVALID_ARGUMENT", "INVALID_REQUEST")
    assert planner.requests == []


def test_an_unknown_field_is_a_type_error(planner: FakePlanner):
    with (
        RungwiseClient(planner.target) as client,
        pytest.raises(TypeError, match="did you mean 'max_model_len'"),
    ):
        client.plan(**JOB, max_model_length=1)


INFO = ErrorInfo(reason="MODEL_NOT_FOUND", domain="rungwise", metadata={"suggestions": "a,b", "hint": "try"})
FAULTS = BadRequest(
    field_violations=[
        {"field": "hardware.gpus", "description": "must be at least 1, is 0 (from 1 to 65536)"},
        {"field": "preferences.forbid[1]", "description": "is empty"},
    ]
)


@pytest.mark.parametrize(
    ("code", "details", "kind", "reason"),
    [
        (
            "INVALID_ARGUMENT",
            [ErrorInfo(reason="INVALID_REQUEST"), FAULTS],
            InvalidRequestError,
            "INVALID_REQUEST",
        ),
        ("NOT_FOUND", [FAULTS, INFO], NotFoundError, "MODEL_NOT_FOUND"),
        ("RESOURCE_EXHAUSTED", [RetryInfo()], OverloadedError, "RESOURCE_EXHAUSTED"),
        ("UNAVAILABLE", [], UnavailableError, "UNAVAILABLE"),
        ("DEADLINE_EXCEEDED", [], DeadlineExceededError, "DEADLINE_EXCEEDED"),
        ("INTERNAL", [ErrorInfo(reason="RULE_FAILED")], InternalError, "RULE_FAILED"),
        ("UNKNOWN", [], InternalError, "UNKNOWN"),
        ("UNAUTHENTICATED", [], RungwiseClientError, "UNAUTHENTICATED"),
        ("UNIMPLEMENTED", [Duration()], RungwiseClientError, "UNIMPLEMENTED"),
    ],
)
def test_each_code_is_a_type_of_error(
    planner: FakePlanner, code: str, details: list[Any], kind: type[RungwiseClientError], reason: str
):
    _fail(planner, grpc.StatusCode[code], "no", *details)
    with RungwiseClient(planner.target, retries=0) as client, pytest.raises(RungwiseClientError) as caught:
        client.plan(**JOB)
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.reason) == (code, reason)


def test_violations_are_told(planner: FakePlanner):
    _fail(planner, grpc.StatusCode.INVALID_ARGUMENT, "two faults", FAULTS)
    with (
        RungwiseClient(planner.target) as client,
        pytest.raises(InvalidRequestError, match="two faults") as caught,
    ):
        client.plan(**JOB)
    assert caught.value.violations == (
        FieldViolation("hardware.gpus", "must be at least 1, is 0 (from 1 to 65536)"),
        FieldViolation("preferences.forbid[1]", "is empty"),
    )


def test_suggestions_are_told(planner: FakePlanner):
    _fail(planner, grpc.StatusCode.NOT_FOUND, "unknown model", INFO)
    with RungwiseClient(planner.target) as client, pytest.raises(NotFoundError) as caught:
        client.plan(**JOB)
    assert (caught.value.suggestions, caught.value.hint) == (("a", "b"), "try")


def test_an_error_of_many_violations_gets_through(planner: FakePlanner):
    faults = BadRequest(field_violations=[{"field": f"f{n}", "description": "x" * 300} for n in range(51)])
    _fail(planner, grpc.StatusCode.INVALID_ARGUMENT, "many faults", faults)
    with RungwiseClient(planner.target) as client, pytest.raises(InvalidRequestError) as caught:
        client.plan(**JOB)
    assert len(caught.value.violations) == 51


@pytest.mark.parametrize("details", [b"", b"\xff\xff", b"\x08\x03"])
def test_details_that_are_none_do_no_harm(planner: FakePlanner, details: bytes):
    def answer(request: Any, context: grpc.ServicerContext) -> Any:
        context.set_trailing_metadata([("grpc-status-details-bin", details)])
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")

    planner.answer = answer
    with RungwiseClient(planner.target) as client, pytest.raises(InvalidRequestError, match="no") as caught:
        client.plan(**JOB)
    assert caught.value.violations == ()


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (1, 2), (2, 3), (4, 5)])
@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED])
def test_a_full_server_is_asked_again(
    planner: FakePlanner, code: grpc.StatusCode, retries: int, attempts: int
):
    _fail(planner, code, "full", RetryInfo(retry_delay=Duration(nanos=10_000_000)), pushback_ms=10)
    with (
        RungwiseClient(planner.target, retries=retries) as client,
        pytest.raises(RungwiseClientError) as caught,
    ):
        client.plan(**JOB)
    assert caught.value.code == code.name
    assert len(planner.requests) == attempts


def test_a_retry_that_is_taken_is_the_answer(planner: FakePlanner):
    def answer(request: Any, context: grpc.ServicerContext) -> Any:
        if len(planner.requests) < 3:
            abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "full", pushback_ms=10)
        return FITS

    planner.answer = answer
    with RungwiseClient(planner.target) as client:
        assert client.plan(**JOB) == FITS
    assert len(planner.requests) == 3


def test_the_server_says_when_to_come_back(planner: FakePlanner):
    _fail(
        planner,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "full",
        RetryInfo(retry_delay=Duration(seconds=2)),
        pushback_ms=300,
    )
    started = time.monotonic()
    with RungwiseClient(planner.target, retries=1) as client, pytest.raises(OverloadedError) as caught:
        client.plan(**JOB)
    assert caught.value.retry_after_s == 2.0
    assert len(planner.requests) == 2
    assert time.monotonic() - started >= 0.29


def test_a_server_that_wants_no_retry_is_left_alone(planner: FakePlanner):
    _fail(planner, grpc.StatusCode.RESOURCE_EXHAUSTED, "full", pushback_ms=-1)
    with RungwiseClient(planner.target) as client, pytest.raises(OverloadedError) as caught:
        client.plan(**JOB)
    assert caught.value.retry_after_s is None
    assert len(planner.requests) == 1


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "NOT_FOUND", "INTERNAL"])
def test_what_would_fail_again_is_not_asked_again(planner: FakePlanner, code: str):
    _fail(planner, grpc.StatusCode[code], "no", pushback_ms=10)
    with RungwiseClient(planner.target) as client, pytest.raises(RungwiseClientError):
        client.plan(**JOB)
    assert len(planner.requests) == 1


@pytest.mark.parametrize("retries", [-1, 5])
def test_retries_are_bounded(retries: int):
    with pytest.raises(ValueError, match="retries must be from 0 to 4"):
        RungwiseClient("127.0.0.1:1", retries=retries)


def test_every_call_has_a_deadline(planner: FakePlanner):
    planner.answer = lambda request, context: FITS
    with RungwiseClient(planner.target) as client:
        client.plan(**JOB)
        client.plan(**JOB, timeout=60)
    with RungwiseClient(planner.target, timeout=30) as client:
        client.plan(**JOB)
    assert [round(left, -1) for left in planner.remaining[1:]] == [60, 30]
    assert 3 < planner.remaining[0] < 6


def test_a_call_ends_at_its_deadline(planner: FakePlanner):
    planner.answer = lambda request, context: planner.released.wait(20) and FITS
    started = time.monotonic()
    with (
        RungwiseClient(planner.target) as client,
        pytest.raises(DeadlineExceededError, match=f"{planner.target}: no answer within 0.2 s"),
    ):
        client.plan(**JOB, timeout=0.2)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_timeout_is_a_number_of_seconds(planner: FakePlanner, timeout: float):
    with pytest.raises(ValueError, match="timeout must be a number of seconds above 0"):
        RungwiseClient(planner.target, timeout=timeout)
    with RungwiseClient(planner.target) as client, pytest.raises(ValueError, match="timeout must be"):
        client.plan(**JOB, timeout=timeout)


def test_a_server_that_is_not_there(unused_port: int):
    target = f"127.0.0.1:{unused_port}"
    with RungwiseClient(target) as client, pytest.raises(UnavailableError, match=target):
        client.plan(**JOB)


def test_a_message_that_is_too_large_is_no_overload(planner: FakePlanner):
    planner.answer = lambda request, context: FITS
    with (
        RungwiseClient(planner.target, retries=0) as client,
        pytest.raises(InvalidRequestError, match="larger than max"),
    ):
        client.plan(**{**JOB, "model": None, "hf_config_json": "x" * 5_000_000})


def test_one_client_serves_many_threads(planner: FakePlanner):
    planner.answer = lambda request, context: planner_service_pb2.PlanResponse(
        outcome=plan_pb2.OUTCOME_FEASIBLE, summary=request.request_id
    )
    barrier = threading.Barrier(8)

    def ask(number: int) -> bool:
        barrier.wait(10)
        return client.plan(**JOB, request_id=str(number)).summary == str(number)

    with RungwiseClient(planner.target) as client, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))


_IMPORTS = """
import sys
import rungwise.client
import rungwise.client.client
import rungwise.client.status_details
heavy = ("pydantic", "yaml", "typer", "rich", "durable", "rungwise.domain", "rungwise.planning", "rungwise.wire")
print([name for name in heavy if name in sys.modules])
"""


def test_the_client_is_light():
    command = [sys.executable, "-c", _IMPORTS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.strip() == "[]"
