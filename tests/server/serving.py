"""What the tests of the server share: requests, matchers that wait or fail, and the details of a failed call."""

import threading
import time
from collections.abc import Callable

import grpc
from google.rpc import error_details_pb2, status_pb2
from rungwise.v1 import planner_service_pb2

PLAN = "/rungwise.v1.PlannerService/Plan"
EXPLAIN = "/rungwise.v1.PlannerService/Explain"


def plan_request(length: int = 20_480, **preferences: object) -> planner_service_pb2.PlanRequest:
    return planner_service_pb2.PlanRequest(
        model={"name": "Qwen/Qwen3-8B"},
        hardware={"gpu": "a100-80gb", "gpus": 4},
        workload={"max_model_len": length},
        preferences=preferences,
    )


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


class GatedMatcher:
    """A real matcher behind a gate; counts what passed it."""

    def __init__(self, matcher):
        self.matcher = matcher
        self.gate = threading.Event()
        self.arrived = 0
        self.answered = 0
        self._lock = threading.Lock()

    def match(self, stage, facts):
        with self._lock:
            self.arrived += 1
        assert self.gate.wait(30)
        with self._lock:
            self.answered += 1
        return self.matcher.match(stage, facts)


class FailingMatcher:
    def __init__(self, error):
        self.error = error

    def match(self, stage, facts):
        raise self.error


def details(error: grpc.RpcError) -> dict[str, object]:
    """Return the details of a failed call by type name, "ErrorInfo"; trailing metadata and status must agree."""
    packed = dict(error.trailing_metadata())["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(packed)
    assert status.code == error.code().value[0]
    assert status.message == error.details()
    found = {}
    for detail in status.details:
        name = detail.TypeName().rpartition(".")[2]
        message = getattr(error_details_pb2, name)()
        assert detail.Unpack(message)
        found[name] = message
    assert found["ErrorInfo"].domain == "rungwise"
    return found
