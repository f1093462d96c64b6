"""CatalogService shows what the planner plans with."""

import pytest
from rungwise.memory import parameters
from rungwise.v1 import catalog_service_pb2 as v1
from rungwise.v1 import catalog_service_pb2_grpc, plan_pb2


@pytest.fixture
def catalog(channel):
    return catalog_service_pb2_grpc.CatalogServiceStub(channel)


def test_models(catalog, knowledge):
    models = catalog.ListModels(v1.ListModelsRequest(), timeout=10).models
    assert [model.id for model in models] == [model.id for model in knowledge.catalog.models()]
    model = catalog.GetModel(v1.GetModelRequest(name="qwen3-30b-a3b"), timeout=10).model
    known = knowledge.catalog.model("Qwen/Qwen3-30B-A3B")
    assert (model.id, model.dimensions.num_experts) == ("Qwen/Qwen3-30B-A3B", 128)
    assert (model.parameters, model.active_parameters) == (parameters.total(known), parameters.active(known))
    assert model.parameters > model.active_parameters > 10**9
    assert model in models


def test_gpus(catalog, knowledge):
    gpus = catalog.ListGpus(v1.ListGpusRequest(), timeout=10).gpus
    assert [gpu.id for gpu in gpus] == [gpu.id for gpu in knowledge.catalog.gpus()]
    gpu = catalog.GetGpu(v1.GetGpuRequest(name="NVIDIA A100-SXM4-80GB"), timeout=10).gpu
    assert (gpu.id, gpu.usable_gib, gpu.bf16) == ("a100-80gb", 79.15, True)
    assert gpu in gpus


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        ("RULE_KIND_UNSPECIFIED", {"limit", "advice"}),
        ("RULE_KIND_LIMIT", {"limit"}),
        ("RULE_KIND_ADVICE", {"advice"}),
        ("RULE_KIND_EVIDENCE", set()),
    ],
)
def test_rules_of_a_kind(catalog, knowledge, kind, kinds):
    answer = catalog.ListRules(v1.ListRulesRequest(kind=kind), timeout=10)
    assert [rule.id for rule in answer.rules] == [
        rule.id for rule in knowledge.ruleset.rules if rule.kind in kinds
    ]
    assert answer.rulebook_revision == knowledge.revision


@pytest.mark.parametrize(("locale", "shown"), [("", "en"), ("en", "en"), ("zh", "zh")])
def test_one_rule_in_both_languages(catalog, knowledge, locale, shown):
    rule = catalog.GetRule(v1.GetRuleRequest(id="gpu-memory", locale=locale), timeout=10).rule
    known = knowledge.ruleset.rule("gpu-memory")
    assert (rule.title, rule.because) == (known.title[shown], known.because[shown])
    assert tuple(rule.when) == known.when_text
    assert rule.kind == plan_pb2.RULE_KIND_LIMIT
    assert rule in catalog.ListRules(v1.ListRulesRequest(locale=locale), timeout=10).rules
