"""Where a context needs YaRN, with which factor, and what is advised about it."""

import pytest
from asking import ask
from rungwise.planning.job import resolve
from rungwise.planning.knowledge import Knowledge
from rungwise.planning.plan import plan
from rungwise.planning.rope import rope_scaling, yarn_original_context

YARN = [
    # model, max_model_len, factor (None: no extension)
    ("Qwen/Qwen3-8B", 32_768, None),
    ("Qwen/Qwen3-8B", 32_769, None),  # beyond pre-training, within config.json: YaRN is optional
    ("Qwen/Qwen3-8B", 40_960, None),
    ("Qwen/Qwen3-8B", 40_961, 40_961 / 32_768),
    ("Qwen/Qwen3-8B", 65_536, 2.0),
    ("Qwen/Qwen3-8B", 131_072, 4.0),
    ("Qwen/Qwen3-8B-Base", 32_768, None),
    ("Qwen/Qwen3-8B-Base", 32_769, 32_769 / 32_768),
    ("Qwen/Qwen3-8B-Base", 40_960, 1.25),
    ("Qwen/Qwen3-4B-Instruct-2507", 65_536, None),  # pre-trained long
    ("Qwen/Qwen3-4B-Instruct-2507", 262_144, None),
    ("Qwen/Qwen3-4B-Instruct-2507", 262_145, None),
    ("Qwen/Qwen3-30B-A3B", 65_536, 2.0),
    ("Qwen/Qwen2.5-7B-Instruct", 32_768, None),
    ("Qwen/Qwen2.5-7B-Instruct", 32_769, 32_769 / 32_768),
    ("Qwen/Qwen2.5-7B-Instruct", 65_536, 2.0),
    ("Qwen/Qwen2.5-7B", 65_536, None),  # config.json says 131,072
    ("Qwen/Qwen2.5-7B", 131_073, None),
    ("Qwen/Qwen2.5-Math-7B", 8_192, None),  # 4,096 in config.json: no convention scales that
    ("meta-llama/Llama-3.1-8B", 131_072, None),
    ("meta-llama/Llama-3.1-8B", 131_073, None),
]


@pytest.mark.parametrize(("model", "length", "factor"), YARN)
def test_yarn(knowledge: Knowledge, model: str, length: int, factor: float | None) -> None:
    rope = rope_scaling(resolve(knowledge, ask(model, max_model_len=length)))
    if factor is None:
        assert rope is None
    else:
        assert rope is not None
        assert (rope.rope_type, rope.original_max_position_embeddings) == ("yarn", 32_768)
        assert rope.max_position_embeddings == length
        assert rope.factor == pytest.approx(factor)
        assert rope.factor * rope.original_max_position_embeddings == pytest.approx(length)


ORIGINAL = [
    ("Qwen/Qwen3-8B", 32_768),
    ("Qwen/Qwen3-8B-Base", 32_768),
    ("Qwen/Qwen3-4B-Instruct-2507", 0),
    ("Qwen/Qwen2.5-7B-Instruct", 32_768),
    ("Qwen/Qwen2.5-7B", 0),
    ("Qwen/Qwen2.5-Math-7B", 0),
    ("meta-llama/Llama-3.1-8B", 0),
]


@pytest.mark.parametrize(("model", "original"), ORIGINAL)
def test_what_yarn_scales_from(knowledge: Knowledge, model: str, original: int) -> None:
    assert yarn_original_context(resolve(knowledge, ask(model))) == original


NOTHING: set[str] = set()
OPTIONAL = {"yarn-optional-band"}
EXTENDED = {"yarn-required", "yarn-changes-training"}
BEYOND = {"no-context-extension"}
BANDS = [
    # model, max_model_len, advice that must be there, of the advice about the context
    ("Qwen/Qwen3-8B", 32_768, NOTHING),
    ("Qwen/Qwen3-8B", 32_769, OPTIONAL),
    ("Qwen/Qwen3-8B", 40_960, OPTIONAL),
    ("Qwen/Qwen3-8B", 40_961, EXTENDED),
    ("Qwen/Qwen3-8B-Base", 32_768, NOTHING),
    ("Qwen/Qwen3-8B-Base", 32_769, EXTENDED),
    ("Qwen/Qwen2.5-7B-Instruct", 32_769, EXTENDED),
    ("Qwen/Qwen3-4B-Instruct-2507", 65_536, NOTHING),
    ("Qwen/Qwen2.5-Math-7B", 4_096, NOTHING),
    ("Qwen/Qwen2.5-Math-7B", 4_097, BEYOND),
    ("meta-llama/Llama-3.1-8B", 65_536, NOTHING),
    ("meta-llama/Llama-3.1-8B", 131_073, BEYOND),
]


@pytest.mark.parametrize(("model", "length", "expected"), BANDS)
def test_advice_in_its_band(knowledge: Knowledge, model: str, length: int, expected: set[str]) -> None:
    answer = plan(knowledge, ask(model, "h200-141gb", 8, length))
    assert answer.configuration is not None
    told = {advice.rule for advice in answer.advice} & (OPTIONAL | EXTENDED | BEYOND)
    assert told == expected
    assert (answer.configuration.rope_scaling is not None) is (expected == EXTENDED)
