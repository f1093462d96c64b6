"""How probable it is that an estimated need fits, inside and outside the domain that was calibrated.

Inside, the need is normal around the estimate with the rung's spread. Outside, the spread is wider, but two edges
move only the context or the card, and there more memory must never fit worse and a longer context never better:

    above the largest calibrated card    at least what the largest calibrated card gives
    below the smallest calibrated card   at most what the smallest calibrated card gives
    beyond the longest calibrated length at most what the longest calibrated length gives
"""

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """One standard deviation of the need in GiB, inside and outside the calibrated domain."""

    inside_gib: float
    outside_gib: float


@dataclass(frozen=True, slots=True)
class Domain:
    """What the estimator's constants were calibrated on. Sizes in parameters, memory in GiB, lengths in tokens."""

    min_parameters: int
    max_parameters: int
    vocab_size: int
    max_gpus: int
    max_sequence_parallel_size: int
    min_usable_gib: float
    max_usable_gib: float
    max_model_len: int

    def holds_model(self, *, parameters: int, vocab_size: int, dense: bool, grouped_query: bool) -> bool:
        """Whether the model is of the calibrated kind: dense, grouped-query attention, size and vocabulary."""
        size = self.min_parameters <= parameters <= self.max_parameters
        return dense and grouped_query and size and vocab_size == self.vocab_size

    def holds_layout(self, gpus: int, sequence_parallel_size: int) -> bool:
        """Whether the number of GPUs and SP are among the calibrated ones."""
        return gpus <= self.max_gpus and sequence_parallel_size <= self.max_sequence_parallel_size


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def fit_probability(
    *,
    need_gib: float,
    need_at_longest_gib: Callable[[], float],
    usable_gib: float,
    max_model_len: int,
    spread: Spread,
    domain: Domain,
    inside: bool,
) -> float:
    """Return P(need ≤ usable).

    `inside`: model, layout and software are calibrated. `need_at_longest_gib` gives the need at
    `domain.max_model_len`; it is asked for only beyond that length.
    """

    def at(need: float, usable: float, sigma: float) -> float:
        return normal_cdf((usable - need) / sigma)

    def within_length(need: float) -> float:
        if usable_gib < domain.min_usable_gib:
            edge = at(need, domain.min_usable_gib, spread.inside_gib)
            return min(edge, at(need, usable_gib, spread.outside_gib))
        if usable_gib > domain.max_usable_gib:
            edge = at(need, domain.max_usable_gib, spread.inside_gib)
            return max(edge, at(need, usable_gib, spread.outside_gib))
        return at(need, usable_gib, spread.inside_gib)

    if not inside:
        return at(need_gib, usable_gib, spread.outside_gib)
    if max_model_len > domain.max_model_len:
        return min(at(need_gib, usable_gib, spread.outside_gib), within_length(need_at_longest_gib()))
    return within_length(need_gib)
