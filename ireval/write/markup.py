"""Tables to paste into a document: Markdown and LaTeX. The best value of a column is set in bold."""

from __future__ import annotations

import re

from ireval.write.table import Cell, Marked, Table

_MARKDOWN = r"[\\`*|<]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)"
"""What Markdown would take for markup; an underscore inside a word is none."""
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "Δ": r"$\Delta$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def _unmarked(cell: Cell) -> Cell:
    return cell.value if isinstance(cell, Marked) else cell


def _superscript(mark: str) -> str:
    """A mark above the line in LaTeX: letters upright, a sign as it is, several words or a range as text."""
    if " " in mark or (len(mark) > 1 and "-" in mark):
        return rf"\textsuperscript{{{mark.replace('-', '--')}}}"  # mathematics has no blanks, and its - is a minus
    return rf"$^{{\mathrm{{{mark}}}}}$" if mark.isalpha() else rf"$^{{{mark}}}$"


def write_markdown(table: Table) -> str:
    """A Markdown table with numbers to the right."""

    def escape(text: str) -> str:
        return re.sub(_MARKDOWN, r"\\\g<0>", text)

    lines = [escape(table.title), ""] if table.title else []
    lines.append("| " + " | ".join(escape(c.name) for c in table.columns) + " |")
    lines.append("|" + "|".join("---" if c.kind == "text" else "---:" for c in table.columns) + "|")
    for r, row in enumerate(table.rows):
        cells = []
        for i, cell in enumerate(row):
            text = escape(table.show(_unmarked(cell), table.columns[i].kind))
            text = f"**{text}**" if table.is_best(r, i) else text
            cells.append(text + (f"<sup>{escape(cell.mark)}</sup>" if isinstance(cell, Marked) and cell.mark else ""))
        lines.append("| " + " | ".join(cells) + " |")
    if table.footer:
        lines += ["", *map(escape, table.footer)]
    if table.signature:
        lines += ["", f"<!-- {table.signature} -->"]
    return "\n".join(lines) + "\n"


def write_latex(table: Table) -> str:
    """A tabular environment with rules from booktabs."""

    def escape(text: str) -> str:
        return "".join(_LATEX.get(c, c) for c in text)

    shape = "".join("l" if c.kind == "text" else "r" for c in table.columns)
    lines = [f"% {table.title}"] if table.title else []
    lines += [rf"\begin{{tabular}}{{{shape}}}", r"\toprule"]
    lines += [" & ".join(escape(c.name) for c in table.columns) + r" \\", r"\midrule"]
    for r, row in enumerate(table.rows):
        cells = []
        for i, cell in enumerate(row):
            text = escape(table.show(_unmarked(cell), table.columns[i].kind))
            text = rf"\textbf{{{text}}}" if table.is_best(r, i) else text
            cells.append(text + (_superscript(cell.mark) if isinstance(cell, Marked) and cell.mark else ""))
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {sentence}" for sentence in table.footer)]
    if table.signature:
        lines.append(f"% {table.signature}")
    return "\n".join(lines) + "\n"
