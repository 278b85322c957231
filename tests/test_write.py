"""The writers, on tables made by hand."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import time

import pytest

from ireval.write.plain import laid_out
from ireval.write.table import FORMATS, Cell, Column, Estimate, Table, number, writer
from ireval.write.trec import line
from ireval.write.trec import number as c_number

COLUMNS = (Column("run", "text"), Column("AP", mark_best=True), Column("ΔAP", "difference"), Column("n"))
ROWS: list[tuple[Cell, ...]] = [
    ("first", Estimate(0.25, 0.2, 0.3), None, 30),
    ("second", Estimate(0.5, -0.0625, 1.0), 0.25, 28),
    ("third", None, -0.125, None),
]


def table(**changes: object) -> Table:
    return Table(**{"columns": COLUMNS, "rows": ROWS, **changes})  # type: ignore[arg-type]


# -- cells ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "kind", "digits", "text"),
    [
        (0.25, "number", 4, "0.2500"),
        (0.25, "number", 0, "0"),
        (0.25, "number", -1, "0.25"),
        (1e-7, "number", -1, "1e-07"),
        (30, "number", 4, "30"),
        (30, "number", -1, "30"),
        ("x", "text", 4, "x"),
        (None, "number", 4, ""),
        (0.25, "difference", 2, "+0.25"),
        (-0.25, "difference", 2, "-0.25"),
        (0.0, "difference", 2, "0.00"),
        (Estimate(0.25, 0.2, 0.3), "number", 4, "0.2500 [.200 .300]"),
        (Estimate(0.5, -0.0625, 1.0), "number", 4, "0.5000 [-.062 1.000]"),
        (Estimate(12.5, 10.5, 20.25), "number", 1, "12.5 [10.5 20.2]"),
        (Estimate(0.25, 0.2, 0.3), "number", -1, "0.25 [.2 .3]"),
    ],
)
def test_cells(cell: Cell, kind: str, digits: int, text: str) -> None:
    assert table(digits=digits).show(cell, kind) == text


def test_shortest_digits_read_back_exactly() -> None:
    rng = random.Random(1)
    for value in [rng.random() * 10 ** rng.randrange(-12, 12) for _ in range(500)]:
        assert float(table(digits=-1).show(value)) == value


def test_numbers_of_cells() -> None:
    cells: list[Cell] = [Estimate(1.5, 1, 2), 2, "x", None, math.nan]
    assert [number(cell) for cell in cells] == [1.5, 2.0, None, None, None]


def best_rows(values: list[Cell], digits: int = 4) -> list[int]:
    made = Table((Column("a", mark_best=True),), [(value,) for value in values], digits=digits)
    return [row for row in range(len(values)) if made.is_best(row, 0)]


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([0.1, 0.3, 0.2], [1]),
        ([0.3, 0.1, 0.3], [0, 2]),
        ([0.2, 0.2], []),
        ([0.2], []),
        ([None, 0.2, 0.1], [1]),
        ([0.12344, 0.12341, 0.1], [0, 1]),
        ([Estimate(0.3, 0, 1), Estimate(0.4, 0, 1)], [1]),
        ([math.nan, 0.1, 0.2], [2]),
        ([-0.2, -0.1], [1]),
        ([3, 4], [1]),
        ([], []),
    ],
)
def test_best(values: list[Cell], rows: list[int]) -> None:
    """The highest, all that print alike; none where there is no choice."""
    assert best_rows(values) == rows


def test_best_depends_on_the_digits_shown() -> None:
    assert best_rows([0.12344, 0.12341, 0.1], digits=5) == [0]
    assert best_rows([0.12344, 0.12341, 0.1], digits=-1) == [0]


def test_best_is_marked_only_where_asked() -> None:
    made = Table((Column("a"), Column("b", mark_best=True)), [(1.0, 1.0), (2.0, 2.0)])
    assert [[made.is_best(row, column) for column in (0, 1)] for row in (0, 1)] == [[False, False], [False, True]]


# -- plain text -----------------------------------------------------------------------------------------------------


def test_plain_table() -> None:
    assert writer("table")(table(signature="how")).splitlines() == [
        "run                       AP       ΔAP   n",
        "first     0.2500 [.200 .300]            30",
        "second  0.5000 [-.062 1.000]*  +0.2500  28",
        "third                          -0.1250",
        "how",
    ]


def test_columns_are_aligned_whatever_is_in_them() -> None:
    names = ["a", "漢字", "é́", "x" * 20]
    made = Table((Column("run", "text"), Column("n")), [(name, 1.0) for name in names])
    out = writer("table")(made).splitlines()
    assert out[1] == "a" + " " * 21 + "1.0000"
    assert out[2] == "漢字" + " " * 18 + "1.0000"  # wide characters take two columns
    assert out[3] == "é́" + " " * 21 + "1.0000"  # a combining accent takes none
    assert out[4] == "x" * 20 + "  1.0000"


def test_control_characters_are_escaped() -> None:
    made = Table((Column("r\x1b", "text"), Column("n")), [("a\x07b\u009b", 1.0), ("\udcff", "\r")])
    out = writer("table")(made)
    assert out.split() == ["r\\x1b", "n", "a\\x07b\\x9b", "1.0000", "\\udcff", "\\r"]
    assert all(c.isprintable() or c == "\n" for c in out)


def widths(made: Table, width: int) -> list[list[int]]:
    """Length of every line, block by block."""
    return [[len("  ".join(cells)) for cells in block] for block in laid_out(made, width)]


def test_wide_tables_are_split_into_blocks() -> None:
    columns = (Column("run", "text"), *(Column(f"measure{n}", mark_best=True) for n in range(12)))
    made = Table(columns, [(name, *(float(n) for n in range(12))) for name in ("first", "second")])
    blocks = laid_out(made, 60)
    assert all(length <= 60 for block in widths(made, 60) for length in block)
    assert len(blocks) == 3
    assert [cell.strip() for block in blocks for cell in block[0][1:]] == [column.name for column in columns[1:]]
    assert all([line[0].strip() for line in block] == ["run", "first", "second"] for block in blocks)
    assert len(laid_out(made)) == len(laid_out(made, 200)) == 1


def test_long_names_lose_their_middle_and_numbers_nothing() -> None:
    long = "a-very-long-name-for-a-run-that-nobody-can-remember-" + "v2"
    made = Table(
        (Column("run", "text"), Column("topic", "text"), Column("a-measure-with-a-very-long-name(rel=2)@1000")),
        [(long, long, Estimate(0.123, 0.1, 0.2)), ("short", "301", 1.0)],
    )
    (block,) = laid_out(made, 60)
    assert all(length <= 60 for length in widths(made, 60)[0])
    run, topic, value = (cell.strip() for cell in block[1])
    assert re.fullmatch(r"a-ver.*….*-v2", run)
    assert re.fullmatch(r"a-ver.*….*-v2", topic)
    assert value == "0.1230 [.100 .200]"
    assert re.fullmatch(r"a-measure.*….*@1000", block[0][2].strip())
    assert [cell.strip() for cell in block[2]] == ["short", "301", "1.0000"]


def test_nothing_is_shortened_where_it_fits() -> None:
    made = Table((Column("run", "text"), Column("n")), [("x" * 50, 1.0)])
    assert laid_out(made, 60)[0][1] == ["x" * 50, "1.0000"]


def test_tables_of_texts_only() -> None:
    columns = tuple(Column(name, "text") for name in ("name", "other", "what"))
    made = Table(columns, [("n" * 20, "o" * 20, "w " * 30)])
    assert all(length <= 60 for block in widths(made, 60) for length in block)
    assert [[line[0].strip() for line in block] for block in laid_out(made, 60)] == [["name", "n" * 20]] * 2
    assert laid_out(made, 60)[1][1][1].endswith("…")
    assert laid_out(made)[0][1][2].startswith("w w w")
    assert laid_out(Table((Column("name", "text"),), [("x",)]), 60) == [[["name"], ["x   "]]]


# -- formats for programs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format_name", "separator"), [("csv", ","), ("tsv", "\t")])
def test_delimited(format_name: str, separator: str) -> None:
    rows = list(csv.reader(io.StringIO(writer(format_name)(table(digits=3))), delimiter=separator))
    assert rows == [
        ["run", "AP", "AP_low", "AP_high", "ΔAP", "n"],
        ["first", "0.250", "0.200", "0.300", "", "30"],
        ["second", "0.500", "-0.062", "1.000", "0.250", "28"],
        ["third", "", "", "", "-0.125", ""],
    ]
    assert writer(format_name)(table(signature="how")).endswith("\n# how\n")


def test_delimited_names_with_separators_and_quotes() -> None:
    names = ['a,b "c"', "tab\there", "line\nbreak", "plain"]
    made = Table((Column("run", "text"), Column("P(rel=2,judged=1)@5")), [(name, 1) for name in names])
    for format_name, separator in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.reader(io.StringIO(writer(format_name)(made)), delimiter=separator))
        assert [row[0] for row in rows] == ["run", *names]
        assert rows[0][1] == "P(rel=2,judged=1)@5"


def test_jsonl_has_full_precision() -> None:
    made = table(digits=1, signature="how", rows=[*ROWS, ("fourth\udcff", 1 / 3, 0.1 + 0.2, 1)])
    objects = [json.loads(text) for text in writer("jsonl")(made).splitlines()]
    assert objects[0] == {"run": "first", "AP": 0.25, "AP_low": 0.2, "AP_high": 0.3, "ΔAP": None, "n": 30}
    assert objects[3] == {"run": "fourth\udcff", "AP": 1 / 3, "AP_low": None, "AP_high": None, "ΔAP": 0.1 + 0.2, "n": 1}
    assert objects[4:] == [{"signature": "how"}]


def test_json_is_the_document() -> None:
    document = {"Δ": 1 / 3, "id\udcff": [None, "漢"]}
    out = writer("json")(table(document=document))
    assert json.loads(out) == document
    assert "漢" in out
    out.encode("utf-8")


def test_trec() -> None:
    records = [("runid", "all", "bm25"), ("map", "301", "0.2500"), ("a_name_longer_than_twenty_two", "all", "3")]
    assert writer("trec")(table(records=records, signature="how")) == (
        "runid                 \tall\tbm25\nmap                   \t301\t0.2500\n"
        "a_name_longer_than_twenty_two\tall\t3\n# how\n"
    )
    assert (c_number(math.nan), c_number(0.25), c_number(-1e6)) == ("  -nan", "0.2500", "-1000000.0000")
    assert line("map", b"t\xff", "1") == b"map                   \tt\xff\t1\n"


# -- formats for documents ------------------------------------------------------------------------------------------

SPECIAL = Table(
    (Column("run|_x_", "text"), Column("n", mark_best=True)),
    [("a|b", 1.0), ("50%of_it&all", 2.0), ("*bold* _slanted_ `code`", 0.5), ("<db:Á> &amp; \\n {x} $5 #1 ~ ^", 0.5)],
)


def test_markdown() -> None:
    assert writer("markdown")(table(signature="how")).splitlines() == [
        "| run | AP | ΔAP | n |",
        "|---|---:|---:|---:|",
        "| first | 0.2500 [.200 .300] |  | 30 |",
        "| second | **0.5000 [-.062 1.000]** | +0.2500 | 28 |",
        "| third |  | -0.1250 |  |",
        "",
        "<!-- how -->",
    ]


def test_markdown_escapes() -> None:
    assert writer("markdown")(SPECIAL).splitlines() == [
        r"| run\|\_x\_ | n |",
        "|---|---:|",
        r"| a\|b | 1.0000 |",
        r"| 50%of_it&all | **2.0000** |",
        r"| \*bold\* \_slanted\_ \`code\` | 0.5000 |",
        r"| \<db:Á> \&amp; \\n {x} $5 #1 ~ ^ | 0.5000 |",
    ]


def test_latex() -> None:
    assert writer("latex")(table(signature="how")).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"run & AP & $\Delta$AP & n \\",
        r"\midrule",
        r"first & 0.2500 [.200 .300] &  & 30 \\",
        r"second & \textbf{0.5000 [-.062 1.000]} & +0.2500 & 28 \\",
        r"third &  & -0.1250 &  \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% how",
    ]


def test_latex_escapes() -> None:
    lines = writer("latex")(SPECIAL).splitlines()
    assert lines[2] == r"run\textbar{}\_x\_ & n \\"
    assert lines[5] == r"50\%of\_it\&all & \textbf{2.0000} \\"
    assert lines[7] == (
        r"\textless{}db:Á\textgreater{} \&amp; \textbackslash{}n \{x\} \$5 \#1 \textasciitilde{} \textasciicircum{} "
        r"& 0.5000 \\"
    )


@pytest.mark.parametrize("format_name", ["markdown", "latex"])
def test_ties_for_the_best_are_all_marked(format_name: str) -> None:
    made = Table((Column("run", "text"), Column("n", mark_best=True)), [("a", 0.5), ("b", 0.5), ("c", 0.1)])
    bold = re.findall(r"\*\*0.5000\*\*|\\textbf\{0.5000\}", writer(format_name)(made))
    assert len(bold) == 2


# -- all of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_name", list(FORMATS))
def test_every_format_ends_with_a_newline(format_name: str) -> None:
    for signature in ("", "how"):
        made = table(signature=signature, records=[("map", "all", "1")], document={"signature": "how"})
        out = writer(format_name)(made)
        assert out.endswith("\n")
        assert not out.endswith("\n\n")


OF_RECORDS = ("trec", "json", "nev", "Dnev", "DINnev", "nevIA", "nevPQ")


@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in OF_RECORDS])
def test_time_grows_with_the_rows_and_not_with_their_square(format_name: str) -> None:
    rows: list[tuple[Cell, ...]] = [(f"run{n}", n / 7, None, n) for n in range(20_000)]
    start = time.perf_counter()
    out = writer(format_name)(table(rows=rows))
    assert time.perf_counter() - start < 10  # about 0.2 s; minutes when every cell looks at every row
    assert len(out.splitlines()) >= 20_000
