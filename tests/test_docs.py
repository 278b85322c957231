"""README and man pages: current, and their commands work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.S | re.M)


def commands() -> list[str]:
    """Every shell command of the README that works on the bundled sample, continuation lines joined."""
    lines = "\n".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [line.split("   #")[0].strip() for line in lines if line.startswith("ireval") and "testdata/" in line]


def test_readme_has_commands() -> None:
    assert len(commands()) >= 12


@pytest.mark.parametrize("command", commands() or ["none"])
def test_readme_command_works(command: str, tmp_path: Path) -> None:
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout or [*tmp_path.glob("*.csv"), *tmp_path.glob("*.nev")]


def test_readme_first_table_is_what_ireval_prints(tmp_path: Path) -> None:
    shown = re.search(r"^```\n\$ ireval (eval .*?)\n(.*?)^```", README, re.S | re.M)
    assert shown
    done = subprocess.run(
        f"{BIN}/ireval {shown[1]}",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "IREVAL_QUIET": ""},
    )
    assert done.stdout + done.stderr == shown[2]


@pytest.mark.parametrize("code", blocks("python"))
def test_readme_python_works(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})


def test_generated_documents_are_current() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_docs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("man"), reason="no man program here")
@pytest.mark.parametrize("page", sorted((ROOT / "man").glob("*.1")), ids=lambda page: page.name)
def test_man_shows_the_page_without_a_warning(page: Path) -> None:
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(page)],
        capture_output=True,
        text=True,
        env={**os.environ, "MANWIDTH": "80", "MANROFFOPT": "-wall"},
    )
    assert done.returncode == 0
    assert not done.stderr
    assert "NAME" in re.sub(".\x08", "", done.stdout)


def test_every_measure_is_in_the_man_page() -> None:
    from ireval.measures.registry import all_measures

    text = (ROOT / "man" / "ireval-measures.1").read_text().replace("\\-", "-").replace("\\&", "")
    for name, record in all_measures().items():
        assert re.search(rf"^\.B .*{re.escape(record.label)}", text, re.M), name
        assert record.documentation.split(".")[0].split("\n")[0][:30] in text, name
