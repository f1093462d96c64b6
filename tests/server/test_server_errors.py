"""Every error that a caller can meet, as gRPC tells it."""

import json
import logging

import grpc
import pytest
from rungwise.domain.errors import RuleFailed
from rungwise.v1 import catalog_service_pb2, planner_service_pb2
from serving import EXPLAIN, PLAN, FailingMatcher, details, plan_request

CATALOG = "/rungwise.v1.CatalogService/"


def failure(channel, method, request):
    data = request if isinstance(request, bytes) else request.SerializeToString()
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(method)(data, timeout=10)
    return caught.value


def request(gpu="a100-80gb", gpus=4, length=20_480, model="Qwen/Qwen3-8B", **preferences):
    made = plan_request(length, **preferences)
    made.model.name, made.hardware.gpu, made.hardware.gpus = model, gpu, gpus
    return made


INVALID, MISSING = "INVALID_ARGUMENT", "NOT_FOUND"
ROWS = [
    # method, request, code, reason, {field: part of its description and suggestion}
    (
        PLAN,
        planner_service_pb2.PlanRequest(),
        INVALID,
        "INVALID_REQUEST",
        {"model": "is missing (for example", "hardware": "is missing", "workload": "is missing"},
    ),
    (
        PLAN,
        request(gpus=0),
        INVALID,
        "INVALID_REQUEST",
        {"hardware.gpus": "at least 1, is 0 (from 1 to 65536)"},
    ),
    (
        PLAN,
        request(gpus=-1, length=10**12),
        INVALID,
        "INVALID_REQUEST",
        {"hardware.gpus": "at least 1, is -1", "workload.max_model_len": "at most 16777216"},
    ),
    (
        PLAN,
        request(forbid=["cpu-offlaod", ""], min_fit_probability=float("nan")),
        INVALID,
        "INVALID_REQUEST",
        {
            "preferences.forbid[0]": "",
            "preferences.forbid[1]": "",
            "preferences.min_fit_probability": "finite",
        },
    ),
    (PLAN, request(trace_level=77), INVALID, "INVALID_REQUEST", {"preferences.trace_level": "unknown value"}),
    (PLAN, request(locale="fr"), INVALID, "INVALID_REQUEST", {"preferences.locale": "unknown value 'fr'"}),
    (PLAN, b"\xff\xff\xff", INVALID, "INVALID_REQUEST", {"": "the message is not a rungwise.v1.PlanRequest"}),
    (EXPLAIN, b"\x0a\x05abc", INVALID, "INVALID_REQUEST", {"": "not a rungwise.v1.ExplainRequest"}),
    (
        EXPLAIN,
        planner_service_pb2.ExplainRequest(),
        INVALID,
        "INVALID_REQUEST",
        {"plan": "is missing"},
    ),
    (
        EXPLAIN,
        planner_service_pb2.ExplainRequest(plan=request(gpus=0), why_not=["SP=2", "a\nb"]),
        INVALID,
        "INVALID_REQUEST",
        {"hardware.gpus": "at least 1", "why_not[1]": "control character"},
    ),
    (PLAN, request(model="Qwen/Qwen3-88B"), MISSING, "MODEL_NOT_FOUND", {"model.name": "Qwen/Qwen3-8B"}),
    (PLAN, request(gpu="a100-88gb"), MISSING, "GPU_NOT_FOUND", {"hardware.gpu": "did you mean a100-80gb"}),
    (
        PLAN,
        request(gpu="a100-88gb", model="Qwen/Qwen3-88B"),
        INVALID,
        "INVALID_REQUEST",
        {"model.name": "Qwen/Qwen3-8B", "hardware.gpu": "a100-80gb"},
    ),
    (
        CATALOG + "GetModel",
        catalog_service_pb2.GetModelRequest(name="qwen3-88b"),
        MISSING,
        "MODEL_NOT_FOUND",
        {"name": "Qwen/Qwen3-8B"},
    ),
    (
        CATALOG + "GetModel",
        catalog_service_pb2.GetModelRequest(),
        INVALID,
        "INVALID_REQUEST",
        {"name": "is missing (for example"},
    ),
    (
        CATALOG + "GetGpu",
        catalog_service_pb2.GetGpuRequest(name="a100-88gb"),
        MISSING,
        "GPU_NOT_FOUND",
        {"name": "a100-80gb"},
    ),
    (
        CATALOG + "GetGpu",
        b"\x0a\x01\xff",
        INVALID,
        "INVALID_REQUEST",
        {"": "not a rungwise.v1.GetGpuRequest"},
    ),
    (
        CATALOG + "GetRule",
        catalog_service_pb2.GetRuleRequest(id="gpu-memori"),
        MISSING,
        "RULE_NOT_FOUND",
        {"id": "gpu-memory"},
    ),
    (
        CATALOG + "GetRule",
        catalog_service_pb2.GetRuleRequest(id="gpu-memory", locale="fr"),
        INVALID,
        "INVALID_REQUEST",
        {"locale": "unknown value 'fr' (known: en, zh)"},
    ),
    (
        CATALOG + "ListRules",
        catalog_service_pb2.ListRulesRequest(kind=77, locale="fr"),
        INVALID,
        "INVALID_REQUEST",
        {"kind": "unknown value 77 (known: RULE_KIND_UNSPECIFIED, ", "locale": "'fr'"},
    ),
]


@pytest.mark.parametrize(("method", "asked", "code", "reason", "faults"), ROWS)
def test_a_fault_of_the_request(channel, method, asked, code, reason, faults):
    error = failure(channel, method, asked)
    found = details(error)
    assert (error.code().name, found["ErrorInfo"].reason) == (code, reason)
    violations = {v.field: v.description for v in found["BadRequest"].field_violations}
    assert violations.keys() == faults.keys()
    assert all(part in violations[field] for field, part in faults.items()), violations


def test_an_unknown_name_comes_with_the_nearest_ones_and_the_way_around_it(channel):
    info = details(failure(channel, PLAN, request(model="Qwen/Qwen3-88B")))["ErrorInfo"]
    assert "Qwen/Qwen3-8B" in info.metadata["suggestions"].split(",")
    assert "model.dimensions" in info.metadata["hint"]


def test_a_bad_request_id_is_a_fault_whatever_was_asked_before(channel):
    job = plan_request()
    channel.unary_unary(PLAN)(job.SerializeToString(), timeout=10)
    job.request_id = "a\nb"
    error = failure(channel, PLAN, job)
    assert [v.field for v in details(error)["BadRequest"].field_violations] == ["request_id"]


def test_a_failed_rule_is_internal_and_named(start):
    _, channel = start(FailingMatcher(RuleFailed("gpu-memory", "the fact lacks peak_mib")))
    error = failure(channel, PLAN, plan_request())
    info = details(error)["ErrorInfo"]
    assert (error.code().name, info.reason, info.metadata["rule"]) == (
        "INTERNAL",
        "RULE_FAILED",
        "gpu-memory",
    )


def test_what_nobody_foresaw_is_internal_and_only_the_log_tells(start, caplog):
    _, channel = start(FailingMatcher(ZeroDivisionError("a secret in /etc/place")))
    with caplog.at_level(logging.INFO, "rungwise.server"):
        error = failure(channel, PLAN, plan_request())
    info = details(error)["ErrorInfo"]
    assert (error.code().name, error.details(), info.reason) == ("INTERNAL", "internal error", "INTERNAL")
    assert not any(word in str(error.trailing_metadata()) for word in ("secret", "place", "Zero", "line "))
    assert info.metadata["incident"] in caplog.text
    assert "ZeroDivisionError: a secret in /etc/place" in caplog.text


def test_an_unknown_method_is_unimplemented(channel):
    assert failure(channel, "/rungwise.v1.PlannerService/Pln", b"").code().name == "UNIMPLEMENTED"


def test_infeasible_and_unknown_are_answers(channel):
    for job, outcome in (
        (request(length=4_000_000), "OUTCOME_INFEASIBLE"),
        (request(model="deepseek-ai/DeepSeek-V3", gpus=8), "OUTCOME_UNKNOWN"),
    ):
        answer = channel.unary_unary(PLAN)(job.SerializeToString(), timeout=10)
        response = planner_service_pb2.PlanResponse.FromString(answer)
        assert (
            planner_service_pb2.PlanResponse.DESCRIPTOR.fields_by_name["outcome"]
            .enum_type.values_by_number[response.outcome]
            .name
            == outcome
        )


@pytest.mark.parametrize("word", ["x", "模", "\N{PILE OF POO}", "\x7f", '"'])
def test_however_many_faults_there_are_they_reach_the_caller(channel, word):
    job = plan_request(forbid=[word * 190] * 64, allow=[word * 190] * 64)
    job.model.hf_config_json = json.dumps({word * 100: word})
    error = failure(channel, PLAN, job)
    violations = details(error)["BadRequest"].field_violations
    assert error.code().name == INVALID
    assert len(violations) > 3
    assert violations[-1].description.endswith("more faults (correct these first)")


def test_one_line_in_the_log_for_a_failed_call(channel, caplog):
    job = request(gpus=0, forbid=["a\nERROR forged\x1b[31m"])
    job.request_id = "job-17"
    with caplog.at_level(logging.INFO, "rungwise.server"):
        failure(channel, PLAN, job)
    (record,) = caplog.records
    line = record.getMessage()
    assert f"{PLAN} INVALID_ARGUMENT peer=" in line
    assert "request_id='job-17'" in line
    assert "hardware.gpus: must be at least 1" in line
    assert "\n" not in line
    assert "\x1b" not in line
