"""How hypothesis runs: the same examples on every machine, and no deadline, since machines are noisy."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "checks", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("checks")
