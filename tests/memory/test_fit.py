"""How probable a fit is, inside the calibrated domain and beyond its edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rungwise.memory.fit import Domain, Spread, fit_probability, normal_cdf

DOMAIN = Domain(
    min_parameters=590_000_000,
    max_parameters=15_000_000_000,
    vocab_size=151_936,
    max_gpus=6,
    max_sequence_parallel_size=4,
    min_usable_gib=79,
    max_usable_gib=96,
    max_model_len=143_360,
)
VANILLA, ENV, OFFLOAD = Spread(2.5, 3.5), Spread(0.6, 0.6), Spread(0.9, 1.3)


def probability(
    need: float,
    usable: float,
    length: int = 20_480,
    spread: Spread = VANILLA,
    *,
    inside: bool = True,
    at_longest: float | None = None,
) -> float:
    return fit_probability(
        need_gib=need,
        need_at_longest_gib=lambda: need if at_longest is None else at_longest,
        usable_gib=usable,
        max_model_len=length,
        spread=spread,
        domain=DOMAIN,
        inside=inside,
    )


NORMAL = [(-8, 0), (-1.2816, 0.1), (-1, 0.158655), (0, 0.5), (1, 0.841345), (1.2816, 0.9), (8, 1)]


@pytest.mark.parametrize(("z", "expected"), NORMAL)
def test_normal_distribution(z: float, expected: float) -> None:
    assert normal_cdf(z) == pytest.approx(expected, abs=1e-5)


CASES = [
    # need, usable, spread, inside, probability
    (79.15, 79.15, VANILLA, True, 0.5),  # an even chance
    (76.65, 79.15, VANILLA, True, 0.8413),  # one deviation below
    (75.94, 79.15, VANILLA, True, 0.9004),  # the default asks for 0.9: 1.28 deviations
    (78.55, 79.15, ENV, True, 0.8413),
    (78.25, 79.15, OFFLOAD, True, 0.8413),
    (75.65, 79.15, VANILLA, False, 0.8413),  # outside the spread is 3.5
    (81.65, 79.15, VANILLA, True, 0.1587),
    # above the largest calibrated card: never below what that card gives
    (94.0, 97.0, VANILLA, True, 0.8043),  # 3 / 3.5 would be 0.8043, 2 / 2.5 on 96 is 0.7881
    (90.0, 96.1, VANILLA, True, 0.9918),  # 6.1 / 3.5 would be 0.9593, 6 / 2.5 on 96 is 0.9918
    # below the smallest: never above what that card gives
    (80.0, 78.0, VANILLA, True, 0.2839),  # -2 / 3.5; -1 / 2.5 on 79 is 0.3446
    (78.9, 78.9, VANILLA, True, 0.5),  # on 79 it is 0.516
    (82.0, 78.9, VANILLA, True, 0.1151),  # -3.1 / 3.5 would be 0.1879; -3 / 2.5 on 79 is 0.1151
]


@pytest.mark.parametrize(("need", "usable", "spread", "inside", "expected"), CASES)
def test_probabilities(need: float, usable: float, spread: Spread, inside: bool, expected: float) -> None:
    assert probability(need, usable, spread=spread, inside=inside) == pytest.approx(expected, abs=1e-4)


def test_beyond_the_longest_calibrated_length() -> None:
    assert probability(70, 79.15, 143_360) == pytest.approx(0.9999, abs=1e-4)
    assert probability(70, 79.15, 143_361) == pytest.approx(normal_cdf(9.15 / 3.5))
    # never above what the longest length gives
    assert probability(85, 79.15, 143_361, at_longest=84.9) == pytest.approx(normal_cdf(-5.75 / 2.5))


def test_the_need_at_the_longest_length_is_asked_for_only_beyond_it() -> None:
    def unasked() -> float:
        raise AssertionError

    given_length = {"need_gib": 70.0, "usable_gib": 79.15, "spread": VANILLA, "domain": DOMAIN}
    for length, inside in ((143_360, True), (200_000, False)):
        assert fit_probability(
            **given_length,  # type: ignore[arg-type]
            need_at_longest_gib=unasked,
            max_model_len=length,
            inside=inside,
        )


sizes = st.floats(0.1, 300) | st.sampled_from([78.9, 79.0, 79.1, 79.15, 95.0, 95.9, 96.0, 96.1])
spreads = st.builds(
    lambda inside, wider: Spread(inside, inside + wider), st.floats(0.1, 10), st.floats(0, 10)
)
lengths = st.integers(1, 500_000) | st.sampled_from([143_359, 143_360, 143_361])


@given(need=sizes, usable=sizes, more=sizes, length=lengths, spread=spreads, inside=st.booleans())
def test_more_memory_is_never_less_probable(
    need: float, usable: float, more: float, length: int, spread: Spread, inside: bool
) -> None:
    less = probability(need, min(usable, more), length, spread, inside=inside)
    assert 0 <= less <= probability(need, max(usable, more), length, spread, inside=inside) <= 1


@given(
    base=sizes,
    slope=st.floats(0, 1e-3),
    usable=sizes,
    length=lengths,
    other=lengths,
    spread=spreads,
    inside=st.booleans(),
)
def test_a_longer_context_is_never_more_probable(
    base: float, slope: float, usable: float, length: int, other: int, spread: Spread, inside: bool
) -> None:
    """The need grows with the length, by `slope` GiB a token."""

    def at(tokens: int) -> float:
        longest = base + slope * DOMAIN.max_model_len
        return probability(base + slope * tokens, usable, tokens, spread, inside=inside, at_longest=longest)

    assert at(max(length, other)) <= at(min(length, other))


@given(need=sizes, larger=sizes, usable=sizes, length=lengths, spread=spreads, inside=st.booleans())
def test_a_larger_need_is_never_more_probable(
    need: float, larger: float, usable: float, length: int, spread: Spread, inside: bool
) -> None:
    small, large = sorted((need, larger))
    assert probability(large, usable, length, spread, inside=inside) <= probability(
        small, usable, length, spread, inside=inside
    )


MODELS = [
    # parameters, vocabulary, dense, grouped query, held
    (596_049_920, 151_936, True, True, True),
    (14_768_307_200, 151_936, True, True, True),
    (494_032_768, 151_936, True, True, False),  # smaller than any that was measured
    (32_762_123_264, 151_936, True, True, False),
    (8_030_261_248, 128_256, True, True, False),  # another vocabulary
    (8_190_735_360, 151_936, False, True, False),
    (8_190_735_360, 151_936, True, False, False),
]


@pytest.mark.parametrize(("parameters", "vocabulary", "dense", "grouped", "held"), MODELS)
def test_models_of_the_domain(
    parameters: int, vocabulary: int, dense: bool, grouped: bool, held: bool
) -> None:
    found = DOMAIN.holds_model(
        parameters=parameters, vocab_size=vocabulary, dense=dense, grouped_query=grouped
    )
    assert found is held


@pytest.mark.parametrize(("gpus", "size", "held"), [(6, 4, True), (7, 4, False), (6, 5, False), (1, 1, True)])
def test_layouts_of_the_domain(gpus: int, size: int, held: bool) -> None:
    assert DOMAIN.holds_layout(gpus, size) is held
