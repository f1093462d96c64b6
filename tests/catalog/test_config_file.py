"""Reading config.json from disk: what is read, what is refused, and that nothing hangs."""

import os
import socket
import threading
from pathlib import Path

import pytest
from rungwise.catalog import config_file
from rungwise.catalog.config_file import LARGEST_BYTES, read_config_file
from rungwise.domain.errors import InvalidRequest

TEXT = '{"model_type": "qwen3"}\n'


def refusal(path: object) -> str:
    """The one violation of a path; the read must not take long."""
    outcome: list[BaseException] = []

    def attempt() -> None:
        try:
            read_config_file(str(path))
        except BaseException as error:
            outcome.append(error)

    reader = threading.Thread(target=attempt, daemon=True)
    reader.start()
    reader.join(5)
    assert not reader.is_alive(), "the read hangs"
    (error,) = outcome
    assert isinstance(error, InvalidRequest)
    (violation,) = error.violations
    assert violation.field == "model"
    assert violation.suggestion
    assert violation.description.isprintable()
    return violation.description


def test_a_file_its_folder_and_a_symlink_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(TEXT)
    (tmp_path / "link.json").symlink_to("config.json")
    (tmp_path / "folder").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (
        tmp_path / "config.json",
        tmp_path,
        tmp_path / "link.json",
        tmp_path / "folder",
        "~",
        "~/link.json",
    ):
        assert read_config_file(str(path)) == TEXT


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert read_config_file(str(tmp_path)) == TEXT


def test_missing_files(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.json") == f"there is no file '{tmp_path}/no.json'"
    assert refusal(tmp_path) == f"there is no file '{tmp_path}/config.json'"
    (tmp_path / "dangling.json").symlink_to("nowhere")
    assert "there is no file" in refusal(tmp_path / "dangling.json")


def test_what_is_not_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "config.json")
    assert "is a named pipe" in refusal(tmp_path / "fifo")
    assert "is a named pipe" in refusal(tmp_path / "folder")
    assert "is a character device" in refusal("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert "is a socket" in refusal(tmp_path / "s")


def test_a_pipe_that_takes_the_files_place_does_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "config.json")
    (tmp_path / "regular").write_text(TEXT)
    regular = (tmp_path / "regular").stat()
    monkeypatch.setattr(config_file.Path, "stat", lambda self: regular)
    assert "is a named pipe" in refusal(tmp_path / "config.json")


def test_large_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(50 * 2**20)
    assert f"has {50 * 2**20} bytes or more" in refusal(tmp_path / "large.json")
    with (tmp_path / "limit.json").open("wb") as file:
        file.write(b" " * (LARGEST_BYTES - 2) + b"{}")
    assert len(read_config_file(str(tmp_path / "limit.json"))) == LARGEST_BYTES


@pytest.mark.parametrize(
    ("content", "description"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b'{"a": "\xff"}', "is not UTF-8: byte 7 is invalid"),
        (b"\xff\xfe{\x00}\x00", "is not UTF-8: byte 0 is invalid"),
    ],
)
def test_content_that_is_no_text(tmp_path: Path, content: bytes, description: str) -> None:
    (tmp_path / "config.json").write_bytes(content)
    assert refusal(tmp_path).endswith(description)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(TEXT)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(config_file.os, "open", refuse)  # the superuser may read what chmod forbids
    assert "no permission to read" in refusal(tmp_path)


@pytest.mark.parametrize(
    "path", ["a\0b", "~nobody-of-this-name/x.json", "x" * 5000, "a\x1b[31mb", "\udcff", ""]
)
def test_paths_that_are_none(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(path)


def test_a_loop_of_symlinks(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "symbolic links" in refusal(tmp_path / "a")


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(TEXT)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        read_config_file(str(tmp_path))
    assert len(os.listdir("/proc/self/fd")) == before
