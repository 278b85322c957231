"""The NTCIREVAL door: its commands and options, both releases, its failures; and measures that only it has so far."""

from __future__ import annotations

import gzip
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

from ireval import __main__ as program
from ireval.compat.ntcir_eval_help import HELP, OPTIONS, USAGE
from ireval.measures import fairness, intents, nuggets

WORLD = TESTDATA / "golden" / "worlds" / "ntcir"
REL = "d1 L2\nd2 L0\nd3 L1\nd4 L1\n"
RES = "d2\nd1\nx\nd3\n"
LAB = "d2 L0\nd1 L2\nx\nd3 L1\n"

Put = Callable[..., None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes files, named by keyword, into an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)

    def write(**files: str | bytes) -> None:
        for name, text in files.items():
            Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


def values(out: bytes) -> dict[str, str]:
    """Name -> value of the lines of compute; the prefix has no blanks."""
    rows = [line.split(" ", 1)[1].split() for line in out.decode().splitlines() if " # " not in line]
    return {name.removesuffix("="): value for name, value in rows}


# -- which door -----------------------------------------------------------------------------------------------------


def test_three_ways_to_the_door(
    put: Put, ntcir_door: Door, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    put(rel=REL, res=RES)
    direct = ntcir_door("label", "-r", "rel", "res")
    assert direct.out.decode() == LAB
    for argv in (["/usr/bin/ireval", "ntcir_eval", "label"], ["/opt/bin/ntcir_eval", "label"]):
        monkeypatch.setattr(sys, "argv", [*argv, "-r", "rel", "res"])
        assert program.main() == 0
        assert capsysbinary.readouterr() == (direct.out, b"")


def test_a_link_named_ntcir_eval(tmp_path: Path) -> None:
    script = shutil.which("ireval", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("ireval is not installed beside this Python")
    link = tmp_path / "ntcir_eval"
    link.symlink_to(script)
    command = [link, "label", "-r", WORLD / "0001.rel"]
    done = subprocess.run(command, stdin=(WORLD / "0001.res").open("rb"), capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, (WORLD / "0001.lab").read_bytes(), b"")
    assert subprocess.run([link], capture_output=True, timeout=60).returncode == 1


def test_help(ntcir_door: Door) -> None:
    for argv in (["-h"], ["--help"], ["compute", "-h"], ["label", "--help"], ["--release", "190111", "-h"]):
        assert ntcir_door(*argv) == (0, HELP.encode(), "")
    assert ntcir_door() == (1, b"", USAGE)
    assert "190111" in HELP and "Exit status" in HELP
    assert all(option in HELP for option, _ in OPTIONS)


@pytest.mark.parametrize("argv", [["1click", "-L", "9", "-N", "nug", "mat"], ["label", "-r", "rel", "res"]])
def test_light_commands_load_little(put: Put, tmp_path: Path, argv: list[str]) -> None:
    put(rel=REL, res=RES, nug="N1 1 5\n", mat="len 5\nN1 3\n")
    code = "import sys; from ireval.__main__ import main; main(); sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, "ntcir_eval", *argv],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(program.__file__).parent.parent)},
    )
    assert done.stdout
    assert not {"click", "rich", "scipy", "pandas"} & set(done.stderr.split())


# -- labelling ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", LAB),
        ("-j", "d2 L0\nd1 L2\nd3 L1\n"),
        ("-truncate 3", "d2 L0\nd1 L2\nx\n"),
        ("-j -truncate 3", "d2 L0\nd1 L2\n"),
        ("-truncate 1 -truncate 2", "d2 L0\nd1 L2\n"),
    ],
)
def test_label(options: str, expected: str, put: Put, ntcir_door: Door) -> None:
    """-truncate counts all documents, also those that -j leaves out."""
    put(rel=REL, res=RES)
    assert ntcir_door("label", *options.split(), "-r", "rel", "res") == (0, expected.encode(), "")
    assert ntcir_door("label", *options.split(), "-r", "rel", stdin=RES.encode()).out == expected.encode()


def test_label_keeps_the_line_as_it_is(put: Put, ntcir_door: Door) -> None:
    """The whole line is the document; labels are copied unread, the first one of a document counts."""
    put(rel="a  Lx more\na L2\nb L1\r\n", res="a\na \n\nb\na\n")
    assert ntcir_door("label", "-r", "rel", "res").out == b"a Lx\na \n\nb L1\r\na Lx\n"
    put(rel="a;Lx\nb c;L1\n", res="b c\na\n")
    assert ntcir_door("label", "-sep", ";", "-r", "rel", "res").out == b"b c;L1\na;Lx\n"


def test_label_classes(put: Put, ntcir_door: Door) -> None:
    """Only the first document of a class has its label; the others stand bare, even with -j."""
    put(rel="a L1 7\nb L3 7\nc L0 2\n", res="b\nx\na\nc\n")
    assert ntcir_door("label", "-ec", "-r", "rel", "res").out == b"b L3 7\nx\na\nc L0 2\n"
    assert ntcir_door("label", "-ec", "-j", "-r", "rel", "res").out == b"b L3 7\na\nc L0 2\n"
    put(rel="a L1 1024\n")
    assert ntcir_door("label", "-ec", "-r", "rel", "res").status == 2


def test_glabel(put: Put, ntcir_door: Door) -> None:
    put(ideal="a 2.34567\nb 0.5\nc 0\na 1\n", res="c\nx\na\n")
    assert ntcir_door("glabel", "-I", "ideal", "res").out == b"c 0.0000\nx\na 2.3457\n"
    assert ntcir_door("glabel", "-j", "-I", "ideal", "res").out == b"c 0.0000\na 2.3457\n"
    put(ideal="a 0\n")
    assert ntcir_door("glabel", "-I", "ideal", "res").message == "ideal: no document has a gain"


def test_dinlabel(put: Put, ntcir_door: Door) -> None:
    """A navigational intent gains only from the first document about it."""
    put(din="1 inf a 0.5\n1 inf b 0.5\n2 nav a 0.25\n2 nav b 0.25\n", res="x\nb\na\nb\n")
    assert ntcir_door("dinlabel", "-din", "din", "res").out == b"x\nb 0.7500\na 0.5000\nb 0.5000\n"
    assert ntcir_door("dinlabel", "-j", "-truncate", "2", "-din", "din", "res").out == b"b 0.7500\n"


# -- scores ---------------------------------------------------------------------------------------------------------


def test_compute(put: Put, ntcir_door: Door) -> None:
    put(rel=REL, lab=LAB)
    got = ntcir_door("compute", "-r", "rel", "-g", "1:3", "-cutoffs", "2", "-out", "T1", "lab")
    assert (got.status, got.err) == (0, "")
    lines = got.out.decode().splitlines()
    assert lines[:3] == ["T1 # syslen=4 jrel=3 jnonrel=1", "T1 # r1=2 rp=2", "T1 RR=                  0.5000"]
    assert all(line[3] == "#" or (line[23] == " " and line[24:].count(".") == 1) for line in lines)
    found = values(got.out)
    br = [(1 + 3) / (2 + 4), (2 + 4) / (4 + 5)]  # at ranks 2 and 4; the ideal gains are 3, 1, 1
    assert found["Q-measure"] == f"{sum(br) / 3:.4f}"
    assert found["AP"] == f"{(1 / 2 + 2 / 4) / 3:.4f}"
    assert found["AP@0002"] == f"{1 / 2 / 2:.4f}"
    assert found["P-plus"] == found["O-measure"] == f"{br[0]:.4f}"
    assert found["ERR"] == f"{3 / 4 / 2 + 1 / 4 * 1 / 4 / 4:.4f}"
    assert found["Prec@0002"] == "0.5000"


def test_releases(put: Put, ntcir_door: Door) -> None:
    put(rel=REL, lab=LAB)
    argv = ["compute", "-r", "rel", "-g", "1:3", "-cutoffs", "2", "lab"]
    new = set(values(ntcir_door(*argv).out))
    old = set(values(ntcir_door("--release", "190111", *argv).out))
    assert old - new == {"NCUgu,P", "NCUgu,BR", "P@0002"}
    assert new - old == {
        "Prec@0002",
        "NCUrb,IE",
        "NCUrb,P@0002",
        "NCUrb,BR@0002",
        "NCUrb,IE@0002",
        "nRBP@0002",
        "nEBR@0002",
        "iRBU",
        "iRBU@0002",
        "niRBU@0002",
    }
    asked = set(values(ntcir_door("--release=190111", *argv, "-rbup", "0.9").out))
    assert asked - old == {"iRBU@0002"}
    assert ntcir_door(*argv, "--release", "230128") == ntcir_door(*argv)
    assert ntcir_door("--release", "2020", *argv).status == 1
    assert ntcir_door("--release", "190111", "GFlabel").message == "GFlabel is not in release 190111"
    put(ideal="d1 3\nd3 1\n")
    assert ntcir_door("--release", "190111", "gcompute", "-rbup", "0.9", "-I", "ideal", stdin=b"d1 3\n").status == 1


def test_copied_ncu_at_cutoffs(put: Put, ntcir_door: Door) -> None:
    """NTCIREVAL divides NCUrb@k by min(k, R), though the uncut value has the weights' sum there."""
    put(rel="a L1\nb L1\n", lab="a L1\nb L1\n")
    found = values(ntcir_door("compute", "-r", "rel", "-g", "1", "-gamma", "0.5", "lab").out)
    assert (found["NCUrb,P"], found["NCUrb,P@1000"]) == ("1.0000", "0.7500")


def test_copied_duplicates(put: Put, ntcir_door: Door) -> None:
    put(rel="a L1\n", lab="a L1\na L1\n")
    assert values(ntcir_door("compute", "-r", "rel", "-g", "1", "lab").out)["AP"] == "2.0000"
    put(rel="a L1\na L1\n", lab="a L1\n")
    assert values(ntcir_door("compute", "-r", "rel", "-g", "1", "lab").out)["AP"] == "0.5000"


def test_copied_first_rank(put: Put, ntcir_door: Door) -> None:
    put(rel="a L1\nb L0\n", lab="a L1\nb L0\n")
    found = values(ntcir_door("compute", "-j", "-r", "rel", "-g", "1", "lab").out)
    assert (found["bpref"], found["bpref_relative"], found["rpref_relative"], found["rpref_relative2"]) == (
        "1.0000",
        "0.0000",
        "0.0000",
        "1.0000",
    )


def test_copied_levels_without_gain(put: Put, ntcir_door: Door) -> None:
    """They are relevant, but add nothing; where nothing else is, normalised measures divide 0 by 0."""
    put(rel="a L1\nb L2\nc L0\n", lab="a L1\nb L2\n")
    found = values(ntcir_door("compute", "-j", "-r", "rel", "-g", "0:1", "-cutoffs", "1", "lab").out)
    assert (found["RR"], found["Prec@0001"], found["AP"], found["AP@0001"]) == ("1.0000", "1.0000", "0.5000", "0.0000")
    assert (found["bpref"], found["bpref_relative"], found["nDCG@0001"]) == ("0.5000", "0.5000", "0.0000")
    put(rel="a L1\nc L0\n", lab="a L1\n")
    found = values(ntcir_door("compute", "-j", "-r", "rel", "-g", "0:1", "lab").out)
    assert {name for name, value in found.items() if value == "-nan"} == {
        "nDCG@1000",
        "MSnDCG@1000",
        "nRBP@1000",
        "nERR@1000",
        "nEBR@1000",
        "niRBU@1000",
        "rpref_N",
        "rpref_relative",
        "rpref_relative2",
    }


def test_copied_preferred_rank(put: Put, ntcir_door: Door) -> None:
    """compute looks for the highest level, even where it gains no more than the one before."""
    put(rel="a L1\nb L2\n", lab="a L1\nb L2\n")
    assert b" # r1=1 rp=2\n" in ntcir_door("compute", "-r", "rel", "-g", "1:1", "lab").out
    put(ideal="a 1\nb 1\n", lab="a 1\nb 1\n")
    assert b" # r1=1 rp=1\n" in ntcir_door("gcompute", "-I", "ideal", "lab").out


def test_copied_ideal_in_file_order(put: Put, ntcir_door: Door) -> None:
    put(ideal="a 1\nb 3\nc 0\n", lab="b 3.0000\n")
    found = values(ntcir_door("gcompute", "-I", "ideal", "-cutoffs", "1", "lab").out)
    assert found["nDCG@0001"] == "3.0000"


def test_gcompute_leaves_out_unjudged(put: Put, ntcir_door: Door) -> None:
    put(ideal="a 1.5\nb 0\n", lab="x\na 1.5\nb 0.0000\n")
    plain = ntcir_door("gcompute", "-I", "ideal", "lab").out
    assert plain.startswith(b" # syslen=3 jrel=1 jnonrel=1\n # r1=2 rp=2\n")
    condensed = ntcir_door("gcompute", "-j", "-I", "ideal", "lab").out
    assert condensed.startswith(b" # syslen=2 jrel=1 jnonrel=1\n # r1=1 rp=1\n")


def test_trace(put: Put, ntcir_door: Door) -> None:
    put(rel=REL, lab=LAB)
    plain = ntcir_door("compute", "-r", "rel", "-g", "1:3", "lab").out.decode().splitlines()
    traced = ntcir_door("compute", "-v", "-r", "rel", "-g", "1:3", "-s", "1:1", "lab").out.decode().splitlines()
    assert traced[2] == "# gain[ 2 ]=3.000000 stop[ 2 ]=1.000000"
    assert [line for line in traced if line and not line.startswith("#")] == plain
    assert "#1 CGi=3.0000 DCGi=3.0000 msDCGi=4.3281" in traced
    assert "#4 count=2 Gs=1.0000 CGs=4.0000 DCGs=3.5000 msDCGs=3.3521 BR=0.6667" in traced


def test_wide_cutoffs_push_the_value(put: Put, ntcir_door: Door) -> None:
    put(rel=REL, lab=LAB)
    out = ntcir_door("compute", "-r", "rel", "-g", "1:3", "-cutoffs", "12345,3,3", "lab").out
    assert b"\n Hit@12345=            1.0000\n" in out
    assert out.count(b"\n Hit@0003=            1.0000\n") == 2


# -- intents and nuggets --------------------------------------------------------------------------------------------


def test_irec(put: Put, ntcir_door: Door) -> None:
    put(res="a\nb\nc\n", i1="c 3\n", i2="b 1\nx\n", i3="y\n")
    got = ntcir_door("irec", "-cutoffs", "9,2", "-out", "T", "res", "i1", "i2", "i3")
    assert got.out.decode().splitlines() == [
        "T #intent_num=3",
        "T I-rec@0002=          0.3333",
        "T I-rec@n=             0.6667",
        "T I-rec@0009=          0.6667",
    ]
    assert ntcir_door("irec", "-v", "res", "i1", "i2").out.decode().splitlines()[1:] == [
        "#a",
        "#b 2",
        " I-rec@n=             0.5000",
        "#c 1",
        " I-rec@1000=          1.0000",
    ]
    put(res="")
    assert ntcir_door("irec", "res", "i1").out.decode().splitlines()[1:] == [
        " I-rec@1000=          0.0000",
        " I-rec@n=             0.0000",
    ]
    assert ntcir_door("irec", "res").status == 1


def test_one_click(put: Put, ntcir_door: Door) -> None:
    put(nug="N1 1 10\nN2 3 20\n", mat="syslen= 40\nN1 30\n")
    out = ntcir_door("1click", "-L", "100", "-N", "nug", "mat").out.decode()
    s, t = (1 * 70) / (3 * 80 + 1 * 70), 10 / 40
    assert out.splitlines() == [
        " #nuggets= 2 #matched= 1 #syslen= 40",
        " Recall=              0.500",
        " W-recall=            0.250",
        f" S-measure=           {s:.3f}",
        f" S-flat=              {s:.3f}",
        " T-measure=           0.250",
        " T-flat=              0.250",
        f" F-flat=              {2 * s * t / (s + t):.3f}",
    ]
    traced = ntcir_door("1click", "-v", "-L", "100", "-N", "nug", "mat").out.decode()
    assert traced.startswith("#N2 w= 3.000000 vl= 20 offset*= 20\n") and traced.endswith(out)
    put(mat="")
    assert b"#matched= 0 #syslen= 0\n" in ntcir_door("1click", "-L", "9", "-N", "nug", "mat").out
    put(mat="syslen= 40\nN9 30\n")
    unknown = ntcir_door("1click", "-L", "9", "-N", "nug", "mat")
    assert unknown.message == 'mat:2: nugget: expected one of nug, found "N9"'


def test_nugget_measures() -> None:
    heavy, light = nuggets.Nugget(3, 20), nuggets.Nugget(1, 10)
    both = [nuggets.Match(light, 10), nuggets.Match(heavy, 15)]
    assert nuggets.minimal_output([light, heavy]) == [heavy, light]
    assert nuggets.s_measure(both, [light, heavy], 100) == (90 + 3 * 85) / (3 * 80 + 70)
    assert nuggets.flat(nuggets.s_measure(both, [light, heavy], 100)) == 1.0  # faster than the minimal output
    assert math.isnan(nuggets.s_measure([], [heavy], 5))  # nothing can be read in time
    assert nuggets.f_measure(0.5, 0.5, 10) == pytest.approx(0.5)
    assert nuggets.f_measure(0.0, 0.0, 1) == 0.0


def test_intent_recall() -> None:
    assert intents.covered_intents([b"a", b"b", b"a", b"c"], [{b"a"}, {b"c", b"a"}, {b"c"}]) == [0, 2, 2, 2, 3]


# -- group fairness -------------------------------------------------------------------------------------------------


def test_group_fairness(put: Put, ntcir_door: Door) -> None:
    """By hand: satisfaction 1/2 at ranks 1 and 3, groups seen (1, 0) and (1/3, 2/3), wished (1/2, 1/2)."""
    put(rel="d1 L1\nd3 L1\nd2 L0\n", lab="d1 L1\nd2\nd3 L1\n", gmv="d1 1 0\nd2 0 1\nd3 0 1\n", gold="0.5\n0.5\n")
    made = ntcir_door("GFlabel", "-gm", "gmv", "-ngroups", "2", "lab")
    assert made.out == b"d1 L1 1.0000 0.0000\nd2 0.0000 1.0000\nd3 L1 0.0000 1.0000\n"
    got = ntcir_door(
        "GFRcompute", "-r", "rel", "-g", "1", "-ngroups", "2", "-gdistr", "gold", "-cutoffs", "1", stdin=made.out
    )
    assert values(got.out) == {
        "ERR": "0.5833",
        "iRBU": "0.7376",
        "GF-JSD": "0.5892",
        "GF-NMD": "0.4583",
        "GF-RNOD": "0.4583",
        "ERR@0001": "0.5000",
        "iRBU@0001": "0.4950",
        "GF-JSD@0001": "0.3444",
        "GF-NMD@0001": "0.2500",
        "GF-RNOD@0001": "0.2500",
    }
    assert ntcir_door("GFlabel", "-gm", "gmv", "-ngroups", "2", stdin=b"new\n").out == b"new 0.5000 0.5000\n"


def test_divergences() -> None:
    for divergence in fairness.DIVERGENCES.values():
        assert divergence([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]) == 0
        assert divergence([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]) == pytest.approx(1.0)
    near, far = [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]  # in order, the neighbour is better than the far end
    wished = [0.0, 0.0, 1.0]
    assert fairness.jensen_shannon(near, wished) == fairness.jensen_shannon(far, wished)
    assert fairness.match_distance(near, wished) == 0.5
    assert fairness.order_aware_divergence(near, wished) == pytest.approx(math.sqrt(0.5))


# -- failures -------------------------------------------------------------------------------------------------------

COMPUTE = "compute -r rel -g 1:3 lab"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("score", 'no command "score"; there are label, compute, '),
        ("label res", "label: -r must be given"),
        ("compute lab", "compute: -r and -g must be given"),
        ("compute -r rel -g", "compute: -g: expected a value, found none"),
        ("label -r rel -x res", 'label: no option or file "-x"'),
        ("glabel -ec -I rel res", 'glabel: no option or file "-ec"'),
        (f"{COMPUTE} -cutoffs 1,2,3,4,5,6,7,8,9,10", "-cutoffs: expected 1 to 9 ranks, found 10"),
        (f"{COMPUTE} -cutoffs 5,0", '-cutoffs: expected a number from 1 to 1e+09, found "0"'),
        (f"{COMPUTE} -beta x", '-beta: expected a number of at least 0, found "x"'),
        (f"{COMPUTE} -gamma 1.5", '-gamma: expected a number from 0 to 1, found "1.5"'),
        (f"{COMPUTE} -logb 0.5", '-logb: expected a number of at least 1, found "0.5"'),
        (f"{COMPUTE} -s 1", "-s: expected 2 values above 0, as many as -g has"),
        ("compute -r rel -g 3:1 lab", '-g: expected rising values, the last above 0, found "3:1"'),
        ("compute -r rel -g 0 lab", '-g: expected rising values, the last above 0, found "0"'),
        ("compute -r rel -g 1:x lab", '-g: expected a number of at least 0, found "x"'),
        ("label -truncate 0 -r rel res", '-truncate: expected a number from 1 to 1e+09, found "0"'),
        ("1click -N rel res", "1click: -L must be given"),
        ("GFRcompute -r rel -g 1:3 -ngroups 1 -gdistr rel lab", "-ngroups: expected at least 2 groups"),
    ],
)
def test_usage(argv: str, message: str, put: Put, ntcir_door: Door) -> None:
    put(rel=REL, res=RES, lab=LAB)
    got = ntcir_door(*argv.split())
    assert (got.status, got.out) == (1, b"")
    assert got.message.startswith(message)


@pytest.mark.parametrize(
    ("argv", "files", "message"),
    [
        ("label -r gone res", {}, "gone: no such file or directory"),
        ("label -r rel gone", {}, "gone: no such file or directory"),
        (COMPUTE, {"rel": "d1 L2"}, "rel:1: expected a newline at the end of the last line, found none"),
        ("label -r rel res", {"res": "d1\nd2"}, "res:2: expected a newline at the end of the last line, found none"),
        (COMPUTE, {"rel": "d1\tL2\n"}, "rel:1: label: expected one more field, found nothing"),
        (COMPUTE, {"rel": "d1 L2\n\nd2 L1\n"}, 'rel:2: expected a document, found ""'),
        (COMPUTE, {"rel": "d1 2\n"}, 'rel:1: label: expected L0 to L15, found "2"'),
        (COMPUTE, {"rel": "d1 L-2\n"}, 'rel:1: label: expected L0 to L15, found "L-2"'),
        (COMPUTE, {"rel": "d1 L3\n"}, 'rel:1: label: expected a level that -g has a gain for (up to L2), found "L3"'),
        (COMPUTE, {"lab": "d1 L3\n"}, 'lab:1: label: expected a level that -g has a gain for (up to L2), found "L3"'),
        (COMPUTE, {"lab": "d\x001 L1\n"}, "lab:1: expected text, found a NUL byte"),
        (COMPUTE, {"rel": "d1 L0\n"}, "rel: no relevant document, so there is nothing to print"),
        (COMPUTE, {"rel": ""}, "rel: no relevant document, so there is nothing to print"),
        (f"{COMPUTE} -j", {"rel": "d1 L1\n"}, "rel: -j needs documents judged nonrelevant, and there is none"),
        (
            f"{COMPUTE} -j -ec",
            {"rel": "d1 L1 1\nd2 L0 2\n"},
            "rel: -j needs documents judged nonrelevant, and there is none",
        ),
        (f"{COMPUTE} -ec", {"rel": "d1 L1 0\n"}, 'rel:1: class: expected a number from 1 to 1024, found "0"'),
        ("gcompute -I rel lab", {"rel": "d1 -1\n"}, 'rel:1: gain: expected a number of at least 0, found "-1"'),
        ("gcompute -I rel lab", {"rel": "d1 nan\n"}, 'rel:1: gain: expected a number of at least 0, found "nan"'),
        (
            "gcompute -I rel lab",
            {"rel": "d1 0\nd2 1\n"},
            "rel: expected documents in order of gain, found no gain on the first 1 lines",
        ),
        ("dinlabel -din rel res", {"rel": ""}, "rel: expected at least one line, found none"),
        ("dinlabel -din rel res", {"rel": "1 both d1 1\n"}, 'rel:1: kind: expected inf or nav, found "both"'),
        ("dinlabel -din rel res", {"rel": "65 inf d 1\n"}, 'rel:1: intent: expected a number from 1 to 64, found "65"'),
        ("1click -L 9 -N rel lab", {"rel": "N1 0 3\n"}, 'rel:1: weight: expected a number above 0, found "0"'),
        ("1click -L 9 -N rel lab", {"rel": ""}, "rel: expected at least one nugget, found none"),
        (
            "GFlabel -gm rel -ngroups 2 res",
            {"rel": "d1 1 1\n"},
            "rel:1: membership: expected numbers that add up to 1, found a sum of 2",
        ),
    ],
)
def test_failures(argv: str, files: dict[str, str], message: str, put: Put, ntcir_door: Door) -> None:
    """Nothing is printed, and the status says so; NTCIREVAL ends with 0."""
    put(**{"rel": REL, "res": RES, "lab": LAB, **files})
    got = ntcir_door(*argv.split())
    assert (got.status, got.out) == (2, b"")
    assert got.message == message


def test_compressed_files_and_carriage_returns(put: Put, ntcir_door: Door) -> None:
    put(rel=REL, lab=LAB)
    expected = ntcir_door("compute", "-r", "rel", "-g", "1:3", "lab")
    put(rel=gzip.compress(REL.encode()), lab=LAB.replace("\n", "\r\n").replace("x\r", "x"))
    assert ntcir_door("compute", "-r", "rel", "-g", "1:3", "lab") == expected
    assert ntcir_door("compute", "-r", "rel", "-g", "1:3", "-", stdin=LAB.encode()) == expected


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_told(put: Put) -> None:
    put(rel=REL, res=RES)
    command = [sys.executable, "-m", "ireval", "ntcir_eval", "label", "-r", "rel", "res"]
    environment = {**os.environ, "PYTHONPATH": str(Path(program.__file__).parent.parent)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (2, "ireval: cannot write the results: no space left on device\n")


def test_a_closed_pipe_ends_quietly(put: Put) -> None:
    put(rel=REL, res=RES * 50_000)
    command = f"{sys.executable} -m ireval ntcir_eval label -r rel res | head -1; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(Path(program.__file__).parent.parent)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "d2 L0\n", "")
