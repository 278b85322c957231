"""What NTCIREVAL's diversity scripts and ndeval print, reached by our own measures and written in their layouts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

import ireval

GOLDEN = TESTDATA / "golden"
WORLD = GOLDEN / "worlds" / "diversity"
DNEV, NEVPQ = ("-f", "Dnev", "--cutoffs", "10"), ("-f", "nevPQ", "--cutoffs", "10")
LAYOUTS = ("Dnev", "DINnev", "nevIA", "nevPQ")


def values(text: str) -> dict[str, float]:
    """Every value under the words that stand before it."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.rpartition("=")
        if re.search(r" #\w* ?\w+=", line):  # a comment
            found[line] = 0.0
        else:
            found[" ".join(name.split())] = float(value)
    return found


def written(cli: Door, layout: str, run: str) -> str:
    done = cli(
        WORLD / "qrels.diversity", WORLD / f"{run}.run", "-f", layout, "--cutoffs", "10", "--order", "file",
        "--intents", WORLD / "intents",
    )  # fmt: skip
    assert done.status == 0, done.err
    return done.out.decode()


@pytest.mark.parametrize("run", ["base", "plain"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_of_the_scripts(evaluate: Door, layout: str, run: str) -> None:
    """Four decimals. NCU at cutoffs is left out: NTCIREVAL divides it by what its weights do not add up to."""
    want = values((GOLDEN / "expected" / f"diversity-{run}.l10.{layout}").read_text())
    got = values(written(evaluate, layout, run))
    assert sorted(got) == sorted(want)  # of an empty list it prints I-rec@n last
    compared = same = 0
    for name, value in want.items():
        if "NCUrb" in name and "@" in name:
            continue
        # its labelled lists hold gains of four decimals, and D# is made of rounded values
        assert abs(got[name] - value) < 1.51e-4, (name, got[name], value)
        compared += 1
        same += got[name] == value
    assert compared > 200 and same / compared > 0.95


@pytest.mark.parametrize("run", ["base", "plain"])
def test_values_by_our_own_names(run: str) -> None:
    """The same numbers, asked for one by one."""
    names = {
        "D": "D-{}", "DIN": "DIN-{}",
    }  # fmt: skip
    measures = {
        "Q@0010": "Q(gains=exp2)@10",
        "MSnDCG@0010": "nDCG(gains=exp2)@10",
        "nDCG@0010": "nDCGjk(gains=exp2)@10",
        "AP@0010": "nAP@10",
        "Prec@0010": "P@10",
        "Hit@0010": "Success@10",
        "RBP@0010": "RBP(gains=exp2,top=topic)@10",
        "nRBP@0010": "nRBP(gains=exp2)@10",
        "ERR@0010": "ERR(gains=exp2,sat=gain,top=topic)@10",
        "nERR@0010": "nERR(gains=exp2,sat=gain,top=topic)@10",
        "EBR@0010": "EBR(gains=exp2,sat=gain,top=topic)@10",
        "iRBU@0010": "iRBU(gains=exp2,sat=gain,top=topic)@10",
        "NCUrb,P@0010": "NCU(gains=exp2,stop=rb,utility=P,share=min)@10",
        "NCUrb,BR@0010": "NCU(gains=exp2,stop=rb,utility=BR,share=min)@10",
    }
    options = {"intents": WORLD / "intents", "order": "file"}
    for layout, form in names.items():
        want = values((GOLDEN / "expected" / f"diversity-{run}.l10.{layout}nev").read_text())
        asked = [form.format(measure) for measure in measures.values()]
        found = ireval.evaluate(WORLD / "qrels.diversity", WORLD / f"{run}.run", asked, **options)
        for t, topic in enumerate(found.topics):
            for row, name in enumerate(measures):
                got = found[run].values[row, t]
                assert got == pytest.approx(want[f"{topic} {name}"], abs=1.1e-4), (layout, topic, name)


@pytest.mark.parametrize("run", ["base", "plain"])
def test_p_plus_q(run: str) -> None:
    lines = (GOLDEN / "expected" / f"diversity-{run}.PplusQ#@0010.nev").read_text().replace("\t", " ")
    want = values(lines)
    asked = ["P+Q(gains=exp2)@10", "P+Q#(gains=exp2)@10"]
    found = ireval.evaluate(
        WORLD / "qrels.diversity", WORLD / f"{run}.run", asked, intents=WORLD / "intents", order="file"
    )
    for t, topic in enumerate(found.topics):
        for row, name in enumerate(("PplusQ@0010", "PplusQ#@0010")):
            assert found[run].values[row, t] == pytest.approx(want[f"{topic} {name}"], abs=1.1e-4), (topic, name)


def test_ndeval_layout(evaluate: Door, ndeval_door: Door) -> None:
    """Where every topic of the judgements is in the run and has relevant documents, it is ndeval's own file."""
    folder = TESTDATA / "diversity"
    want = ndeval_door(folder / "qrels", folder / "mmr.run").out
    done = evaluate(folder / "qrels", folder / "mmr.run", "-f", "ndeval", "--order", "rank")
    assert done.out == want and want.count(b"\n") == 22


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-f", "Dnev", "--cutoffs", "5,10"), "-f Dnev takes one cutoff (--cutoffs 10), found 2"),
        (("-f", "DINnev"), "-f DINnev needs the types of the intents (--intents FILE with inf or nav)"),
        (("-f", "Dnev", "--ci", "95"), "-f Dnev has no place for --ci"),
        (("-f", "ndeval", "--aggregate", "median"), "-f ndeval has no place for --aggregate median"),
        (("-f", "Dnev", "--cutoffs", "2"), "-f Dnev: expected a cutoff from 4 on, the number of intents of a topic"),
        ((*DNEV, "-m", "AP"), "-f Dnev has its own set of measures, so that it does not go with -m"),
        ((*DNEV, "--depth", "5"), "-f Dnev cuts the run at its cutoff, so that it does not go " + "with --depth"),
        ((*NEVPQ, "--qrels-format", "qrels_jg"), "-f nevPQ needs judgements of intents, not qrels_jg"),
        (NEVPQ, "-f nevPQ needs the types of the intents (--intents FILE with inf or nav)"),
        (("-f", "ndeval", "-m", "AP"), "-f ndeval has its own set of measures, so that it does not go with -m"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(evaluate: Door, arguments: tuple[str, ...], message: str) -> None:
    done = evaluate(WORLD / "qrels.diversity", WORLD / "base.run", *arguments)
    assert (done.status, done.message) == (2, message)


def test_plot(evaluate: Door, tmp_path: Path) -> None:
    folder = TESTDATA / "diversity"
    runs = sorted(folder.glob("*.run"))
    for suffix, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        path = tmp_path / f"out.{suffix}"
        done = evaluate(folder / "qrels", *runs, "-m", "D#-nDCG@5", "--plot", path)
        assert done.status == 0 and path.read_bytes().startswith(begin)
    first = (tmp_path / "out.svg").read_bytes()
    for measure, same in (("D#-nDCG@5", True), ("D#-nDCG@10", False)):  # the same picture of the same numbers
        evaluate(folder / "qrels", *runs, "-m", measure, "--plot", tmp_path / "again.svg")
        assert ((tmp_path / "again.svg").read_bytes() == first) == same
    done = evaluate(folder / "qrels", *runs, "--plot", tmp_path / "nosuch" / "out.png")
    assert done.status == 2 and done.out == b"" and "cannot be written" in done.message
    done = evaluate(folder / "qrels", *runs, "--plot", tmp_path / "out.txt")
    assert done.status == 2 and done.message.startswith("--plot: expected a file ending in .png, .svg, .pdf")
