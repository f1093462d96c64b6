"""An answer over the wire is the answer in process, byte for byte, and stays so when it is kept."""

import pytest
from rungwise.planning.explain import explain
from rungwise.planning.plan import plan
from rungwise.v1 import planner_service_pb2
from rungwise.wire import requests, to_proto
from rungwise.wire.from_proto import to_dict
from serving import EXPLAIN, PLAN, GatedMatcher, plan_request

JOBS = [
    plan_request(20_480),
    plan_request(1_000_000),
    plan_request(30_000, locale="zh", trace_level="TRACE_LEVEL_REJECTIONS", forbid=["cpu_offload"]),
    planner_service_pb2.PlanRequest(
        model={"name": "qwen3-8b"},
        hardware={"gpu": "h20-96gb", "gpus": 8, "free_gib": 80.5},
        workload={"framework": "trinity-rft@0.5.2", "max_model_len": 65_536},
    ),
]


@pytest.mark.parametrize("job", JOBS, ids=["feasible", "infeasible", "zh", "free_gib"])
def test_a_plan_over_grpc_is_the_plan_in_process(channel, knowledge, job):
    domain = plan(knowledge, requests.plan_request(to_dict(job)))
    expected = to_proto.plan_response(domain).SerializeToString(deterministic=True)
    call = channel.unary_unary(PLAN)
    assert call(job.SerializeToString(), timeout=10) == expected
    assert call(job.SerializeToString(), timeout=10) == expected


def test_an_explanation_over_grpc_is_the_explanation_in_process(channel, knowledge):
    request = planner_service_pb2.ExplainRequest(plan=plan_request(), why_not=["vanilla", "Env + SP=4"])
    domain = explain(knowledge, requests.explain_request(to_dict(request)))
    expected = to_proto.explain_response(domain).SerializeToString(deterministic=True)
    call = channel.unary_unary(EXPLAIN)
    assert call(request.SerializeToString(), timeout=10) == expected
    assert call(request.SerializeToString(), timeout=10) == expected


def with_id(request_id):
    job = plan_request()
    job.request_id = request_id
    return job.SerializeToString()


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        (with_id("another"), True),
        (plan_request().SerializeToString() + b"\xfa\x7f\x01x", True),
        (plan_request(20_481).SerializeToString(), False),
        (plan_request(locale="zh").SerializeToString(), False),
        (plan_request(locale="en").SerializeToString(), False),
        (plan_request(trace_level="TRACE_LEVEL_SUMMARY").SerializeToString(), False),
        (plan_request(min_fit_probability=0.5).SerializeToString(), False),
    ],
    ids=["request_id", "unknown field", "length", "zh", "en", "trace level", "probability"],
)
def test_what_decides_whether_an_answer_is_known(start, knowledge, asked, known):
    matcher = GatedMatcher(knowledge.matcher)
    matcher.gate.set()
    _, channel = start(matcher)
    call = channel.unary_unary(PLAN)
    first = call(with_id("one"), timeout=10)
    computed = matcher.answered
    assert computed > 0
    second = call(asked, timeout=10)
    assert (matcher.answered == computed) == known
    if known:
        assert second == first


def test_nothing_is_kept_when_the_cache_has_no_entries(start, knowledge):
    matcher = GatedMatcher(knowledge.matcher)
    matcher.gate.set()
    _, channel = start(matcher, cache_entries=0)
    call = channel.unary_unary(PLAN)
    first = call(with_id(""), timeout=10)
    computed = matcher.answered
    assert call(with_id(""), timeout=10) == first
    assert matcher.answered == 2 * computed
