"""Warm Plan calls a second, against an empty handler of the same server process.

Both are called in turns (A B A B ...) by the same client threads, so that what the machine does besides falls on both.
The server is a child process with the product's settings; the empty handler goes through the same threads.

    python benchmarks/rpc.py [SECONDS OF ONE TURN]

Exit code 1 if Plan reaches less than 0.6 of the empty handler's calls.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence

import grpc
from rungwise.planning.knowledge import load_knowledge
from rungwise.server.grpc_server import RungwiseServer
from rungwise.server.options import ServerOptions
from rungwise.v1 import planner_service_pb2

PLAN, EMPTY, CPU = "/rungwise.v1.PlannerService/Plan", "/bench.Empty/Call", "/bench.Empty/Cpu"
THREADS = 4
TURNS = 6
TARGET = 0.6
LONGEST_TURN = 2.5
"""Seconds; keeps the whole run below 40."""


def request() -> bytes:
    """Return a PlanRequest of about 300 bytes."""
    return planner_service_pb2.PlanRequest(
        request_id="cluster-a/partition-train/user-0042/job-000017/attempt-1",
        model={"name": "Qwen/Qwen3-8B"},
        hardware={
            "gpu": "a100-80gb",
            "gpus": 4,
            "gpus_per_node": 4,
            "host_memory_gib": 1024,
            "cpu_cores": 96,
            "interconnect": "infiniband",
        },
        workload={
            "framework": "trinity-rft@0.5.2",
            "method": "full",
            "task": "rl",
            "max_model_len": 20_480,
            "train_batch_size": 96,
            "strategy": "fsdp",
            "software": {"torch": "2.7.1", "transformers": "4.56.0", "vllm": "0.10.2"},
            "precision": "bf16",
            "optimizer": "adamw",
            "packing": True,
            "rollout": {"engines": 4, "tensor_parallel": 1, "gpu_memory_utilization": 0.9},
        },
        preferences={
            "forbid": ["cpu_offload"],
            "objective": "first",
            "min_fit_probability": 0.9,
            "locale": "en",
            "trace_level": "TRACE_LEVEL_FULL",
        },
    ).SerializeToString()


def serve() -> None:
    """Run the server until standard input closes."""

    def empty(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        return b""

    def cpu(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        return repr(time.process_time()).encode()

    extra = grpc.method_handlers_generic_handler(
        "bench.Empty",
        {
            "Call": grpc.unary_unary_rpc_method_handler(empty),
            "Cpu": grpc.unary_unary_rpc_method_handler(cpu),
        },
    )
    server = RungwiseServer(load_knowledge(), ServerOptions(port=0), [extra])
    server.start()
    print(server.address, flush=True)
    sys.stdin.read()
    server.stop(1)


def turn(calls: Sequence[Callable[..., bytes]], payload: bytes, seconds: float) -> float:
    """Call from every thread for `seconds`. Returns calls a second."""
    counts = [0] * len(calls)
    end = time.perf_counter() + seconds

    def client(number: int) -> None:
        while time.perf_counter() < end:
            calls[number](payload, timeout=5)
            counts[number] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(len(calls))]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begun)


def measure(address: str, seconds: float) -> float:
    """Print both rates and the server's CPU time of a call. Returns the ratio of the rates."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
    channels = [grpc.insecure_channel(address, options=options) for _ in range(THREADS)]
    payload = request()
    cpu: Callable[..., bytes] = channels[0].unary_unary(CPU)
    methods: dict[str, list[Callable[..., bytes]]] = {
        name: [channel.unary_unary(name) for channel in channels] for name in (PLAN, EMPTY)
    }
    answer = methods[PLAN][0](payload, timeout=5)
    for calls in methods.values():
        turn(calls, payload, min(seconds, 0.5))
    rates: dict[str, list[float]] = {PLAN: [], EMPTY: []}
    spent: dict[str, list[float]] = {PLAN: [], EMPTY: []}
    for _ in range(TURNS):
        for name, calls in methods.items():
            before = float(cpu(b"", timeout=5))
            rate = turn(calls, payload, seconds)
            rates[name].append(rate)
            spent[name].append((float(cpu(b"", timeout=5)) - before) / (rate * seconds))
    print(
        f"request {len(payload)} bytes, response {len(answer)} bytes, {THREADS} client threads, {TURNS} turns each"
    )
    for name in (PLAN, EMPTY):
        rate, each = statistics.median(rates[name]), statistics.median(spent[name])
        print(f"{name:34} {rate:7.0f} calls/s  {each * 1e6:5.0f} us of the server's CPU a call")
    for channel in channels:
        channel.close()
    pairs = zip(rates[PLAN], rates[EMPTY], strict=True)
    return statistics.median(plan / empty for plan, empty in pairs)


def main() -> int:
    seconds = min(float(sys.argv[1]), LONGEST_TURN) if len(sys.argv) > 1 else 1.5
    print(
        json.dumps(
            {
                "machine": platform.machine(),
                "system": f"{platform.system()} {platform.release()}",
                "cores": os.cpu_count(),
                "load": round(os.getloadavg()[0], 2),
                "python": platform.python_version(),
                "grpcio": grpc.__version__,
            }
        )
    )
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            ratio = measure(child.stdout.readline().strip(), seconds)
        except BaseException:
            child.kill()
            raise
    print(f"ratio {ratio:.2f}, target {TARGET}; client CPU {time.process_time():.1f} s")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        sys.exit(main())
