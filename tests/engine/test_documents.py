import os
import time
import zipfile
from pathlib import Path

import pytest
from rungwise.domain.errors import InvalidRulebook
from rungwise.engine.documents import read_documents


def problems(*directories):
    with pytest.raises(InvalidRulebook) as caught:
        read_documents(list(directories), cases=True)
    return [str(problem) for problem in caught.value.problems]


def test_files_are_parsed_and_cases_left_out(book):
    documents = read_documents([book.directory])
    assert list(documents.files) == sorted(documents.files)
    assert documents.files["evidence/guide.csv"] == "a,b\n1,2\n"
    assert documents.files["catalog/gpus.yaml"]["gpus"][1] == {"id": "b", "gib": 2}
    assert "limits/sp-divides-gpus.cases.yaml" not in documents.files
    assert documents.base == set(documents.files)
    assert documents.under("limits") == ["limits/sp-divides-gpus.yaml"]


def test_cases_are_read_on_request(book):
    documents = read_documents([book.directory], cases=True)
    assert documents.files["limits/sp-divides-gpus.cases.yaml"]["rule"] == "sp-divides-gpus"
    assert documents.under("limits") == ["limits/sp-divides-gpus.yaml"]


def test_other_files_do_not_matter(book):
    revision = read_documents([book.directory]).revision
    for name in (
        "README.md",
        "__init__.py",
        "rule.schema.json",
        ".hidden.yaml",
        ".git/x.yaml",
        "limits/x.yaml~",
    ):
        book.write(name, "{{{")
    assert read_documents([book.directory]).revision == revision


def test_a_bom_and_line_ends_do_not_matter(book):
    plain = read_documents([book.directory])
    text = (book.directory / "facts.yaml").read_bytes()
    book.write("facts.yaml", b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    again = read_documents([book.directory])
    assert again.revision == plain.revision
    assert again.files == plain.files


def test_the_revision_is_the_content_that_decides(book, overlay, tmp_path):
    revision = read_documents([book.directory]).revision
    assert len(revision) == 64
    moved = tmp_path / "elsewhere"
    book.directory.rename(moved)
    assert read_documents([moved]).revision == revision
    book.directory = moved
    book.edit("limits/sp-divides-gpus.cases.yaml", "SP=4 on", "4 on")
    assert read_documents([moved]).revision == revision
    assert read_documents([moved, overlay.directory]).revision != revision
    book.edit("limits/sp-divides-gpus.yaml", "!= 0", "!= 1")
    assert read_documents([moved]).revision != revision


def test_the_order_of_overlays_is_part_of_the_revision(book, overlay, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    overlay.write("evidence/x.csv", "1")
    one = read_documents([book.directory, overlay.directory, other]).revision
    assert read_documents([book.directory, other, overlay.directory]).revision != one


MISPLACED = [
    ("limits/a.yml", "limits/a.yml: rulebook files end in .yaml"),
    (
        "rules.yaml",
        "rules.yaml: not a file of a rulebook: outside its folders those are facts.yaml, messages.yaml",
    ),
    (
        "limit/a.yaml",
        "limit: not a folder of a rulebook: those are advice, catalog, evidence, ladders, limits",
    ),
    ("limits/deep/a.yaml", "limits/deep: limits/ has no folders"),
    ("limits/a.csv", "limits/a.csv: only evidence/ has CSV files"),
    ("ladders/a.cases.yaml", "ladders/a.cases.yaml: only rules have cases"),
    ("catalog/a/b/c/d/e/f.yaml", "catalog/a/b/c/d: folders nested deeper than 4"),
]


@pytest.mark.parametrize(("path", "message"), MISPLACED)
def test_a_misplaced_file_is_named(book, path, message):
    book.write(path, "schema_version: 1\n")
    assert problems(book.directory) == [message]


CONTENT = [
    ("a: 1\n", "1:1: schema_version is missing; this version reads 1"),
    ("a: 1\nschema_version: 2\n", "2:1: schema_version 2 is unknown; this version reads 1"),
    ("schema_version: '1'\n", "1:1: schema_version '1' is unknown; this version reads 1"),
    ("schema_version: true\n", "1:1: schema_version True is unknown; this version reads 1"),
    ("- a\n", "1:1: the file is not a mapping of keys to values"),
    ("", "1:1: the file is not a mapping of keys to values"),
    ("schema_version: 1\na: &x 1\n", "2:4: the anchor &x is not allowed; write the value where it is needed"),
    (b"schema_version: 1\na: \xff\n", "2:4: not UTF-8 text"),
]


@pytest.mark.parametrize(("text", "message"), CONTENT)
def test_a_faulty_file_is_named_with_line_and_column(book, text, message):
    book.write("ladders/x.yaml", text)
    assert problems(book.directory) == [f"ladders/x.yaml:{message}"]


def test_all_faults_of_all_files_come_at_once(book, overlay):
    book.write("ladders/x.yaml", "a: 1\na: 2\n").write("limits/y.yaml", "schema_version: 1\nb: !t 1\n")
    overlay.write("catalog/z.yaml", "schema_version: 9\n")
    assert problems(book.directory, overlay.directory) == [
        f"{overlay.directory}/catalog/z.yaml:1:1: schema_version 9 is unknown; this version reads 1",
        "ladders/x.yaml:2:1: duplicate key 'a'",
        "limits/y.yaml:2:4: the tag !t is not allowed; a value's type is how it is written",
    ]


def test_a_directory_that_is_not_there(book, tmp_path):
    missing = tmp_path / "missing"
    assert problems(missing) == [f"{missing}: the rulebook directory does not exist"]
    assert problems(book.directory, missing) == [f"{missing}: the rulebook directory does not exist"]
    file = book.directory / "facts.yaml"
    assert problems(file) == [f"{file}: the rulebook directory is not a directory"]
    assert problems() == [": no rulebook directory was given"]


def test_a_base_without_facts(tmp_path):
    assert problems(tmp_path) == ["facts.yaml: the base rulebook has no facts.yaml"]


def test_a_fifo_does_not_hang(book):
    os.mkfifo(book.directory / "limits/pipe.yaml")
    start = time.monotonic()
    assert problems(book.directory) == ["limits/pipe.yaml: cannot be read: not a regular file"]
    assert time.monotonic() - start < 5


def test_a_huge_file_is_not_read(book):
    with open(book.directory / "limits/huge.yaml", "wb") as file:
        file.truncate(50 << 30)
    assert problems(book.directory) == ["limits/huge.yaml: cannot be read: larger than 1048576 bytes"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(book):
    (book.directory / "facts.yaml").chmod(0)
    assert problems(book.directory) == ["facts.yaml: cannot be read: Permission denied"]


def test_symlinks_stay_inside(book, tmp_path):
    outside = tmp_path / "secret.yaml"
    outside.write_text("schema_version: 1\n")
    (tmp_path / "folder").mkdir()
    limits = book.directory / "limits"
    (limits / "out.yaml").symlink_to(outside)
    (limits / "nowhere.yaml").symlink_to("missing.yaml")
    (book.directory / "catalog/loop").symlink_to(book.directory / "catalog")
    (book.directory / "catalog/out").symlink_to(tmp_path / "folder")
    assert problems(book.directory) == [
        "catalog/loop/: the folder is linked to twice",
        "catalog/out: the symlink leaves the rulebook directory",
        "limits/nowhere.yaml: the symlink leads nowhere",
        "limits/out.yaml: the symlink leaves the rulebook directory",
    ]


def test_a_config_map_mount_is_read(book, tmp_path):
    mount = tmp_path / "mount"
    mount.mkdir()
    book.directory.rename(mount / "..2024_01_01")
    (mount / "..data").symlink_to("..2024_01_01")
    for name in ("facts.yaml", "limits"):
        (mount / name).symlink_to(f"..data/{name}")
    assert list(read_documents([mount]).files) == ["facts.yaml", "limits/sp-divides-gpus.yaml"]


def test_a_huge_directory_is_not_searched(book):
    for number in range(5001):
        (book.directory / "limits" / f"note-{number}.txt").touch()
    assert problems(book.directory) == ["limits/: a rulebook has at most 5000 files"]


def test_a_file_name_may_be_any_bytes(book):
    with open(os.fsencode(book.directory / "limits") + b"/\xff.yaml", "wb") as file:
        file.write(b"schema_version: 1\n")
    assert problems(book.directory) == [
        "limits/\udcff.yaml:1:1: '\\udcff' is not an id: up to 64 small letters, digits and -"
    ]


def test_the_given_path_may_be_relative(book, monkeypatch):
    monkeypatch.chdir(book.directory.parent)
    book.write("ladders/x.yaml", "a: 1\n")
    assert problems(Path("base")) == ["ladders/x.yaml:1:1: schema_version is missing; this version reads 1"]


def test_a_rulebook_in_a_zip_is_read_alike(book, tmp_path):
    with zipfile.ZipFile(tmp_path / "book.zip", "w") as archive:
        for file in book.directory.rglob("*.*"):
            archive.write(file, file.relative_to(book.directory))
    zipped = read_documents([zipfile.Path(tmp_path / "book.zip")])
    assert zipped.revision == read_documents([book.directory]).revision
