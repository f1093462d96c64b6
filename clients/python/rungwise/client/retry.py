"""When a call is tried again: gRPC's retry policy, as a service configuration."""

import json

MOST_RETRIES = 4
"""gRPC makes at most five attempts, whatever the policy says."""
_SERVICES = ("rungwise.v1.PlannerService", "rungwise.v1.CatalogService")


def service_config(retries: int) -> str:
    """Return the configuration that tries a call `retries` times again. Raises ValueError beyond 4.

    Every call is a pure question, so each may be repeated. A server that names a time to come back
    (`grpc-retry-pushback-ms`) is obeyed. The deadline of the call bounds all attempts together.
    """
    if not 0 <= retries <= MOST_RETRIES:
        raise ValueError(f"retries must be from 0 to {MOST_RETRIES}, is {retries}")
    if retries == 0:
        return "{}"
    policy = {
        "maxAttempts": retries + 1,
        "initialBackoff": "0.1s",
        "maxBackoff": "1s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"],
    }
    names = [{"service": service} for service in _SERVICES]
    return json.dumps({"methodConfig": [{"name": names, "retryPolicy": policy}]})
