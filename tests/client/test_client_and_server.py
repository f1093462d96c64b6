"""The client against the server that ships."""

from collections.abc import Iterator

import pytest
from rungwise.client import InvalidRequestError, NotFoundError, RungwiseClient, RungwiseClientError
from rungwise.domain.request import ExplainRequest
from rungwise.planning.explain import explain
from rungwise.planning.knowledge import Knowledge, load_knowledge
from rungwise.server.grpc_server import RungwiseServer
from rungwise.server.options import ServerOptions
from rungwise.v1 import plan_pb2
from rungwise.wire import to_proto

JOB = {"model": "Qwen/Qwen3-8B", "gpu": "a100-80gb", "gpus": 4, "max_model_len": 20480}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge(matcher="portable")


@pytest.fixture(scope="module")
def client(knowledge: Knowledge) -> Iterator[RungwiseClient]:
    server = RungwiseServer(knowledge, ServerOptions(port=0, matcher="portable"))
    server.start()
    with RungwiseClient(server.address, timeout=20) as connected:
        yield connected
    server.stop(0)


def test_plan_and_explain_answer_as_in_process(client: RungwiseClient, knowledge: Knowledge):
    request = ExplainRequest.model_validate(
        {
            "plan": {
                "model": {"name": "Qwen/Qwen3-8B"},
                "hardware": {"gpu": "a100-80gb", "gpus": 4},
                "workload": {"max_model_len": 20480},
                "preferences": {"locale": "zh", "forbid": ("cpu_offload",)},
            },
            "why_not": ("Env + SP=2",),
        }
    )
    expected = to_proto.explain_response(explain(knowledge, request))
    wishes = {"locale": "zh", "forbid": ["cpu_offload"]}
    assert client.explain(**JOB, **wishes, why_not=["Env + SP=2"]) == expected
    assert client.plan(**JOB, **wishes) == expected.plan


def test_every_fault_comes_back(client: RungwiseClient):
    with pytest.raises(InvalidRequestError) as caught:
        client.plan(**{**JOB, "gpus": 0, "max_model_len": -1}, forbid=["Offlod"], interconnect="")
    assert {v.field: v.description for v in caught.value.violations} == {
        "hardware.gpus": "must be at least 1, is 0 (from 1 to 65536)",
        "hardware.interconnect": "unknown value '' (known: infiniband, roce, ethernet)",
        "workload.max_model_len": "must be at least 1, is -1 (from 1 to 16777216)",
        "preferences.forbid[0]": "unknown measure 'Offlod' (did you mean 'cpu_offload'?)",
    }
    assert caught.value.reason == "INVALID_REQUEST"


@pytest.mark.parametrize(
    ("ask", "reason", "suggestion"),
    [
        (
            lambda client: client.plan(**{**JOB, "model": "Qwen/Qwen3-8b-it"}),
            "MODEL_NOT_FOUND",
            "Qwen/Qwen3-8B",
        ),
        (lambda client: client.get_model("qwen3_8b"), "MODEL_NOT_FOUND", "Qwen/Qwen3-8B"),
        (lambda client: client.get_gpu("a100-80gbb"), "GPU_NOT_FOUND", "a100-80gb"),
        (lambda client: client.get_rule("gpu-memry"), "RULE_NOT_FOUND", "gpu-memory"),
    ],
)
def test_the_nearest_names_come_back(client: RungwiseClient, ask, reason: str, suggestion: str):
    with pytest.raises(NotFoundError) as caught:
        ask(client)
    assert caught.value.reason == reason
    assert suggestion in caught.value.suggestions
    assert caught.value.hint


def test_the_catalog_comes_back(client: RungwiseClient, knowledge: Knowledge):
    assert [m.id for m in client.list_models().models] == [m.id for m in knowledge.catalog.models()]
    assert [g.id for g in client.list_gpus().gpus] == [g.id for g in knowledge.catalog.gpus()]
    listed = client.list_rules()
    assert listed.rulebook_revision == knowledge.revision
    assert [r.id for r in listed.rules] == [r.id for r in knowledge.ruleset.rules]
    limits = client.list_rules(kind="RULE_KIND_LIMIT", locale="zh").rules
    assert limits
    assert {r.kind for r in limits} == {plan_pb2.RULE_KIND_LIMIT}
    assert client.get_rule("gpu-memory", locale="zh").rule in limits


def test_what_was_closed_makes_no_calls(client: RungwiseClient):
    other = RungwiseClient("127.0.0.1:1")
    other.close()
    with pytest.raises((ValueError, RungwiseClientError), match="closed"):
        other.list_gpus()
