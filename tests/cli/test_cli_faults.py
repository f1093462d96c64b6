"""Faulty jobs: every fault in one error, each with the option that it is about."""

import json
import os
from pathlib import Path

import pytest
from command_line import Run

FAULTS = (
    # options, the field of each fault
    ((), ("model", "hardware.gpu", "hardware.gpus", "workload.max_model_len")),
    (
        ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "0", "--max-model-len", "4k"),
        ("hardware.gpus", "workload.max_model_len"),
    ),
    (
        ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "-1", "--max-model-len", "1000000000000"),
        ("hardware.gpus", "workload.max_model_len"),
    ),
    (
        ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "9" * 5000),
        ("workload.max_model_len",),
    ),
    (
        (
            *("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4.5", "--max-model-len", "1e3"),
            *("--free-gib", "nan", "--host-memory-gib", "inf", "--min-fit-probability", "1"),
            *("--cpu-cores", "", "--interconnect", "wet string", "--lang", "fr", "--trace", "loud"),
        ),
        (
            "hardware.gpus",
            "hardware.free_gib",
            "hardware.host_memory_gib",
            "hardware.cpu_cores",
            "hardware.interconnect",
            "workload.max_model_len",
            "preferences.min_fit_probability",
            "preferences.locale",
            "preferences.trace_level",
        ),
    ),
    (
        ("no-such-model", "--gpu", "no-such-gpu", "--gpus", "0", "--max-model-len", "1", "--forbid", "zz"),
        ("hardware.gpus", "model.name", "hardware.gpu", "preferences.forbid[0]"),
    ),
    (
        ("./no/such/file", "--gpu", "a100-80gb", "--gpus", "0", "--max-model-len", "1", "--torch", "new"),
        ("model", "hardware.gpus", "workload.software.torch"),
    ),
)


@pytest.mark.parametrize("command", ["plan", "explain"])
@pytest.mark.parametrize(("options", "fields"), FAULTS)
def test_every_fault_is_named(
    run: Run, command: str, options: tuple[str, ...], fields: tuple[str, ...]
) -> None:
    result = run(command, *options, "--output", "json")
    assert (result.code, result.stderr) == (2, "")
    assert sorted(result.fields) == sorted(fields)
    assert len(result.stdout) < 10_000


def test_the_option_stands_beside_the_field(run: Run) -> None:
    result = run("plan", "qwen3-8b", "--gpu", "a100-80gb", "--gpus", "0", "--max-model-len", "4k")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "rungwise: 2 faults\n"
        "  hardware.gpus (--gpus): must be at least 1, is 0\n"
        "      from 1 to 65536\n"
        "  workload.max_model_len (--max-model-len): must be a whole number, is '4k'\n"
        "      write it without fraction and unit\n"
    )


def test_unknown_names_come_with_the_nearest(run: Run) -> None:
    job = ("--gpus", "4", "--max-model-len", "20480", "--output", "json")
    model = run("plan", "qwen3-8", "--gpu", "a100-80gb", *job)
    assert (model.code, model.json["error"]["code"]) == (2, "NOT_FOUND")
    assert "Qwen/Qwen3-8B" in model.json["error"]["message"]
    gpu = run("plan", "Qwen/Qwen3-8B", "--gpu", "a100-81gb", *job)
    assert (gpu.code, gpu.json["error"]["code"]) == (2, "NOT_FOUND")
    assert "a100-80gb" in gpu.json["error"]["message"]


@pytest.mark.parametrize("as_folder", [False, True])
def test_a_model_from_its_config(run: Run, tmp_path: Path, as_folder: bool) -> None:
    config = {
        "model_type": "qwen3",
        "num_hidden_layers": 36,
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 151936,
        "tie_word_embeddings": False,
        "max_position_embeddings": 40960,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    place = tmp_path if as_folder else tmp_path / "config.json"
    job = ("--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480", "--output", "json")
    result = run("plan", str(place), *job)
    assert result.code == 0
    assert result.json["configuration"]["label"] == "SP=2"


HOSTILE_TEXTS = ("\x1b[31mred", "a\x00b", "\u202egnp", "\ud800", "x" * 100_000, "{gpus}", "[bold]x[/bold]")


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=ascii)
def test_nothing_that_was_typed_reaches_the_terminal_raw(run: Run, text: str) -> None:
    job = ("--gpus", "4", "--max-model-len", "20480")
    for arguments in (("plan", text, "--gpu", text, *job), ("plan", "--gpu", "a", f"--{text}"), (text,)):
        result = run(*arguments)
        assert (result.code, result.stdout) == (2, "")
        assert not set(result.stderr) & set("\x1b\x00\u202e\ud800")


@pytest.mark.parametrize("output", ["table", "json"])
def test_files_that_are_no_config(run_process: Run, tmp_path: Path, output: str) -> None:
    """Run as processes: a command that hangs on one of these cannot be stopped from inside."""
    pipe, sparse = tmp_path / "pipe.json", tmp_path / "sparse.json"
    os.mkfifo(pipe)
    with sparse.open("wb") as file:
        file.truncate(50 * 2**20)
    for path in (pipe, sparse, tmp_path / "missing.json", Path("/dev/zero"), tmp_path):
        job = ("--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480", "--output", output)
        result = run_process("plan", str(path), *job)
        assert result.code == 2
        told = result.stdout if output == "json" else result.stderr
        assert path.name in told
        assert "Traceback" not in result.stderr


def test_a_broken_rulebook_stops_everything(run: Run, broken_overlay: Path) -> None:
    job = ("Qwen/Qwen3-8B", "--gpu", "a100-80gb", "--gpus", "4", "--max-model-len", "20480")
    rulebook = ("--rulebook", str(broken_overlay))
    for arguments in (
        ("plan", *job, *rulebook),
        ("explain", *job, *rulebook),
        ("plan", "--requests", "-", *rulebook),
        ("rules", "list", *rulebook),
        ("rules", "show", "gpu-memory", *rulebook),
        ("models", *rulebook),
        ("gpus", *rulebook),
    ):
        result = run(*arguments, stdin=b"{}\n")
        assert (result.code, result.stdout) == (2, ""), arguments
        assert f"{broken_overlay}/limits/acme.cap.yaml:3:" in result.stderr, arguments
