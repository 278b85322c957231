"""Random worlds through ndeval, gdeval.pl and our doors: `make fuzz` (NDEVAL, GDEVAL=path of the originals).

    python tests/fuzz_web_track.py --topics 1000 --seed 1

Every world has some topics; both tools and both doors get the same command lines, and stdout must be the same bytes.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr
from pathlib import Path

from ireval.compat import gdeval, ndeval


def run_door(door, arguments: list[str]) -> tuple[bytes, int]:
    """What the door prints, and its exit status."""
    kept = io.BytesIO()
    out = io.TextIOWrapper(kept, encoding="utf-8", errors="surrogateescape")
    before, sys.stdout = sys.stdout, out
    try:
        with redirect_stderr(io.StringIO()):
            status = door.main(arguments)
        out.flush()
    finally:
        sys.stdout = before
    return kept.getvalue(), status


def document(rng: random.Random) -> str:
    return f"d{rng.randrange(60):02d}" + rng.choice(["", "", "-x", "A"])


def write_run(path: Path, rng: random.Random, topics: list[int], tag: str, prefix: str) -> None:
    lines = []
    for topic in topics:
        if rng.random() < 0.12:
            continue
        found = sorted({document(rng) for _ in range(rng.choice([1, 3, 8, 25, 40]))})
        rng.shuffle(found)
        ranks = rng.sample(range(200), len(found)) if rng.random() < 0.5 else list(range(1, len(found) + 1))
        for name, rank in zip(found, ranks, strict=True):
            lines.append(f"{prefix}{topic} Q0 {name} {rank} {rng.randrange(12) / 4} {tag}")
    if rng.random() < 0.3:
        lines.append(f"{prefix}{max(topics) + 1} Q0 d1 1 1.0 {tag}")  # a topic that nobody judged
    if rng.random() < 0.2:
        rng.shuffle(lines)
    path.write_text("\n".join(lines or [f"{prefix}1 Q0 d1 1 1.0 {tag}"]) + "\n")


def write_diversity(path: Path, rng: random.Random, topics: list[int]) -> None:
    lines = []
    for topic in topics:
        if rng.random() < 0.1:
            continue
        subtopics = rng.sample(range(9), rng.randint(1, 6))
        share = rng.choice([0.0, 0.1, 0.4, 0.8])
        for name in sorted({document(rng) for _ in range(30)}):
            for subtopic in subtopics:
                level = rng.randint(1, 3) if rng.random() < share else 0
                if level or rng.random() < 0.7:
                    lines.append(f"{topic} {subtopic} {name} {level}")
                if rng.random() < 0.002:
                    lines.append(f"{topic} {subtopic} {name} {rng.randint(0, 1)}")  # judged again
    if rng.random() < 0.3:
        rng.shuffle(lines)
    path.write_text("\n".join(lines or ["1 1 d1 1"]) + "\n")


def write_graded(path: Path, rng: random.Random, topics: list[int], prefix: str) -> None:
    lines = []
    for topic in topics:
        if rng.random() < 0.1:
            continue
        for name in sorted({document(rng) for _ in range(30)}):
            lines.append(f"{prefix}{topic} 0 {name} {rng.choice([-2, 0, 0, 0, 1, 2, 3, 4])}")
        if rng.random() < 0.1:
            lines = [line.rsplit(" ", 1)[0] + " 0" if line.startswith(f"{prefix}{topic} ") else line for line in lines]
    path.write_text("\n".join(lines or ["1 0 d1 1"]) + "\n")


def command_lines(rng: random.Random, tool: str) -> list[str]:
    """Options before the files."""
    words: list[str] = []
    if rng.random() < 0.4:
        words.append("-c")
    if tool == "ndeval":
        if rng.random() < 0.4:
            words += ["-alpha", rng.choice(["0", "0.1", "0.3", "0.7", "1"]), "-beta", rng.choice(["0.2", "0.8", "1"])]
        if rng.random() < 0.4:
            words.append("-traditional")
        if rng.random() < 0.3:
            words += ["-M", str(rng.choice([1, 3, 10]))]
    elif rng.random() < 0.5:
        words += ["-k", str(rng.choice([1, 3, 5, 10, 50]))]
    if rng.random() < 0.3:
        words += ["-baseline", "base.run", "-riskAlpha", rng.choice(["0", "1", "2.5"])]
    return words


def main() -> int:
    """Compare; the exit status says whether all agreed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--topics", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    tools = {"ndeval": os.environ.get("NDEVAL"), "gdeval": os.environ.get("GDEVAL")}
    doors = {"ndeval": ndeval, "gdeval": gdeval}
    failed = 0
    for tool, original in tools.items():
        if not original:
            print(f"fuzz: set {tool.upper()} to compare with {tool}")
            continue
        command = ["perl", original] if original.endswith(".pl") else [original]
        rng = random.Random(given.seed)
        same = seen = commands = 0
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            while seen < given.topics:
                topics = sorted(rng.sample(range(1, 300), rng.randint(1, 9)))
                prefix = rng.choice(["", "", "wt09-"])
                seen += len(topics)
                if tool == "ndeval":
                    write_diversity(Path("qrels"), rng, topics)
                else:
                    write_graded(Path("qrels"), rng, topics, prefix)
                write_run(Path("a.run"), rng, topics, "alpha", prefix)
                write_run(Path("base.run"), rng, topics, "base", prefix)
                for _ in range(3):
                    arguments = [*command_lines(rng, tool), "qrels", "a.run"]
                    wanted = subprocess.run([*command, *arguments], capture_output=True, check=False)
                    form = ["--risk-id", "2014"] if "-baseline" in arguments else []
                    out, status = run_door(doors[tool], [*form, *arguments])
                    commands += 1
                    if out == wanted.stdout and status == wanted.returncode:
                        same += 1
                    else:
                        failed += 1
                        print("differs:", tool, shlex.join(arguments), "exit", wanted.returncode, status)
                        for a, b in zip(wanted.stdout.splitlines(), out.splitlines(), strict=False):
                            if a != b:
                                print("   ", a.decode(), "\n   ", b.decode())
                        if failed > 5:
                            return 1
            os.chdir(here)
        print(f"{tool}: {same} of {commands} command lines over {seen} topics the same (seed {given.seed})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
