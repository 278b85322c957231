"""Measures as users write them: text -> requests, and specs -> text.

Two grammars are read, side by side:

    trec_eval's       map   P.5,10   ndcg.1=2,2=7   official   P_10 (as it prints them)
    ir_measures'      AP    P@10     P(rel=2)@5     nDCG(gains='1:3:7')@10     RBP(p=0.8)

A spec is a measure with all its parameters: frozen, hashable, and `parse(label(spec))` gives it back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ireval.core.numeric import c_double, c_long
from ireval.errors import MeasureError, printable
from ireval.measures.registry import (
    BEYOND,
    Choice,
    Cutoffs,
    Fractions,
    Gains,
    Measure,
    Number,
    Numbers,
    Param,
    Suffix,
    Value,
    Whole,
    all_measures,
    beyond_measures,
    find_measure,
)

Records = Mapping[str, Measure]
Settings = Mapping[str, Value]
"""Settings of a whole request that parameters take as their defaults: level, docs, gains, rounding."""


@dataclass(frozen=True)
class Spec:
    """A measure and all its parameters."""

    name: str
    params: tuple[tuple[str, Value], ...]
    condensed: bool = False
    """Scored on the ranking without its unjudged documents; written with a prime, AP'."""
    lens: str = ""
    """How a measure of ordinary judgements looks at intents: a key of LENSES."""
    gamma: float | None = None
    """Weight of I-rec beside the measure, where both are combined (D#-nDCG, P+Q#)."""

    @property
    def measure(self) -> Measure:
        """The record."""
        return find_measure(self.name)

    @property
    def needs(self) -> str:
        """What the judgements must be."""
        return "intents" if self.lens else self.measure.needs

    @property
    def cut(self) -> Value:
        """The rank it is cut at, None where it is not."""
        cutoff = self.measure.cutoff
        return dict(self.params)[cutoff.name] if isinstance(cutoff, Cutoffs) else None


LENSES = {
    "IA": (
        "nDCG-IA@10, IA(Q)",
        "The measure for each intent alone, averaged over the intents by probability (Agrawal et al., WSDM 2009).",
    ),
    "D": (
        "D-nDCG@10, D(RBP)",
        "The measure on global gains: a document gains the expectation of its gains over the intents (Sakai & Song, "
        "SIGIR 2011).",
    ),
    "DIN": (
        "DIN-nDCG@10, DIN(Q)",
        "As D, but a navigational intent gains only from its first relevant document (Sakai, WWW 2012).",
    ),
    "#": (
        "D#-nDCG@10, DIN#(Q@10,gamma=0.3), P+Q#@10",
        "gamma I-rec + (1 - gamma) M, with intent recall at the cutoff of M; gamma is 0.5 when nobody says.",
    ),
    "I1": (
        "I1(nDCG@10), I2(Q)",
        "The measure for the first intent alone (I2: for the second, and so on); 0 where a topic has fewer.",
    ),
}
"""Ways to make a measure of diversity from an ordinary one: how they are written, and what they do."""
GAMMA = 0.5


@dataclass(frozen=True)
class Request:
    """A spec and what to call it in the output. aggregate: how topics are summed up, when not as the measure says."""

    spec: Spec
    label: str
    aggregate: str = ""

    @property
    def how(self) -> str:
        """How the topics' values become one."""
        return self.aggregate or self.spec.measure.aggregate


class ParameterError(MeasureError):
    """A known measure with parameters that make no sense."""


# -- trec_eval's names ----------------------------------------------------------------------------------------------

TREC_ORDER = tuple(
    (
        "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P relstring "
        "recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut "
        "map_cut relative_P success set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret "
        "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg "
        "prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp "
        "prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj"
    ).split()
)
"""trec_eval calculates and prints in this order, whatever the order of the request."""

SINCE_10 = frozenset({"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"})
"""Measures that trec_eval 9 does not have."""

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_PREFS = (
    "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
)
NICKNAMES: dict[str, tuple[str, ...]] = {
    name: tuple(members.split())
    for name, members in {
        "official": _OFFICIAL,
        "set": "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F",
        "all_trec": f"{_OFFICIAL} relstring recall unj rbp rbp_resid infAP gm_bpref utility 11pt_avg ndcg relative_P "
        "Rprec_mult success map_cut ndcg_cut ndcg_rel Rndcg binG G set_P set_recall set_relative_P set_map set_F "
        "num_nonrel_judged_ret",
        "all_prefs": f"{_PREFS} prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret "
        "prefs_avgjg_Rnonrel_ret prefs_simp_imp prefs_pair_imp prefs_avgjg_imp",
        "prefs": _PREFS,
        "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
    }.items()
}


def make_spec(record: Measure, given: Mapping[str, Value], settings: Settings) -> Spec:
    """A spec from the parameters given, the settings, and the defaults, in this order."""
    params = []
    for param in record.params:
        if param.name in given:
            value = given[param.name]
        elif param.setting is not None and settings.get(param.setting) is not None:
            value = settings[param.setting]
        else:
            value = param.default
        params.append((param.name, value))
    return Spec(record.name, tuple(params))


def trec_requests(name: str, text: str | None, settings: Settings) -> list[Request]:
    """What trec_eval's `-m name.text` stands for (text None: no parameters), labelled as trec_eval prints it."""
    record = find_measure(name)
    main = next((p for p in record.params if isinstance(p, Cutoffs | Fractions | Numbers | Gains | Number)), None)
    if isinstance(main, Cutoffs | Fractions):
        return _fan_out(record, main, text, settings)
    if main is None or text is None:
        return [Request(make_spec(record, {}, settings), name)]
    if isinstance(main, Numbers):
        values: dict[str, Value] = {main.name: tuple(c_double(part) for part in text.split(","))}
    else:
        values = _pairs(record, name, text, settings)
    return [Request(make_spec(record, values, settings), f"{name}_{text}")]


def _fan_out(record: Measure, main: Param, text: str | None, settings: Settings) -> list[Request]:
    """One request for each cutoff, ascending."""
    whole = isinstance(main, Cutoffs)
    read: Callable[[str], float] = c_long if whole else c_double
    cuts = sorted(read(part) for part in text.split(",")) if text is not None else main.default
    assert isinstance(cuts, list | tuple)
    if whole and cuts[0] <= 0:
        raise ParameterError(f"{record.name}: expected cutoffs above 0, found {printable(text or '')}")
    if len(set(cuts)) < len(cuts):
        raise ParameterError(f"{record.name}: expected each cutoff once, found {printable(text or '')}")
    return [Request(make_spec(record, {main.name: cut}, settings), trec_label_of(record.name, cut)) for cut in cuts]


def trec_label_of(name: str, cut: float) -> str:
    """`P_5`, `iprec_at_recall_0.10`; trec_eval keeps nine characters of the latter's number."""
    return f"{name}_{cut}" if isinstance(cut, int) else f"{name}_{cut:3.2f}"[: len(name) + 9]


def _pairs(record: Measure, name: str, text: str, settings: Settings) -> dict[str, Value]:
    """`1=2,3=5` as gains and, where the measure has it, `p=0.8`."""
    pairs = [part.split("=") for part in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise ParameterError(f"{name}: expected pairs such as 1=3,2=7, found {printable(text)}")
    values: dict[str, Value] = {}
    known = {p.name for p in record.params}
    if settings.get("compat") == 9:  # every key is a level there, a word is level 0
        gains = [f"{c_long(key)}={value}" for key, value in pairs]
    else:
        gains = [f"{int(key)}={value}" for key, value in pairs if re.fullmatch(r"[+-]?[0-9]+", key)]
        if "p" in known and any(key == "p" for key, _ in pairs):
            values["p"] = [c_double(value) for key, value in pairs if key == "p"][-1]
    if gains and "gains" in known:
        values["gains"] = "trec:" + ",".join(gains)
    return values


# -- any grammar ----------------------------------------------------------------------------------------------------

_CALL = r"(?s)(?P<name>[^()@\s]+)(?:\((?P<params>.*)\))?(?:@(?P<cut>[^@]+))?"
_PARAM = r"\s*(?P<key>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^,'\"]*)\s*(?:,|$)"
_ALSO = {"cutoff": "k", "min_rel": "rel"}


def parse_measures(
    texts: Sequence[str], settings: Settings | None = None, records: Records | None = None
) -> list[Request]:
    """All requests, in order, repeated ones once; every name that is not understood is reported at once.

    records: the measures to choose from, where they are not those of ranked lists.
    """
    found: dict[Request, None] = {}
    faults: list[str] = []
    for text in texts:
        try:
            found.update(dict.fromkeys(parse_measure(text.strip(), settings or {}, records)))
        except MeasureError as error:
            faults.append(str(error))
    if faults:
        raise MeasureError("\n".join(faults))
    return list(found)


def parse_measure(text: str, settings: Settings, records: Records | None = None) -> list[Request]:
    """The requests that one text stands for."""
    if records is not None:
        return _parse_call(text, settings, records)
    inner = re.fullmatch(r"condensed\((.+)\)", text) or re.fullmatch(r"([^()@\s']+)'(.*)", text)
    inner = inner or re.fullmatch(r"(.*[0-9)])'", text)  # nDCG@10' means the same
    if inner:
        return [_condensed(request) for request in parse_measure("".join(inner.groups()).strip(), settings)]
    if re.search(r"(?i)^(I|D)|-IA|#", text):
        from ireval.measures.lens_names import through_lens

        seen = through_lens(text, settings)
        if seen:
            return seen
    records = all_measures()
    if text in NICKNAMES:
        names = set(NICKNAMES[text])
        return [r for name in TREC_ORDER if name in names for r in trec_requests(name, None, settings)]
    head, dot, tail = text.partition(".")
    if dot and tail and head in records and records[head].trec and not re.search(r"[(@]", text):
        return trec_requests(head, tail, settings)
    printed = re.fullmatch(r"(.+)_([0-9.]+)", text)
    if printed and printed[1] in records and isinstance(records[printed[1]].cutoff, Cutoffs | Fractions):
        return trec_requests(printed[1], printed[2], settings)
    if text in records and records[text].trec:
        return trec_requests(text, None, settings)
    return _parse_call(text, settings, records)


def _parse_call(text: str, settings: Settings, records: Records) -> list[Request]:
    """The requests that a text in ir_measures' grammar stands for."""
    call = re.fullmatch(_CALL, text)
    candidates = _candidates(call["name"], records) if call else []
    number = ""
    if call and not candidates:
        candidates, number = _suffixed(call["name"], records)
    if not call or not candidates:
        raise MeasureError(unknown_measure(text, records))
    cut = call["cut"]
    record = _fitting(candidates, cut is not None or bool(re.search(r"\b(k|cutoff)\s*=", call["params"] or "")))
    if cut is not None and record.cutoff is None:
        raise ParameterError(f"{text}: {call['name'] if number else record.label} has no cutoff")
    params, both = re.subn(r"(^|,)\s*residual\s*=\s*yes\s*(?=,|$)", "", call["params"] or "")
    if both and record.residual:  # the score, and what the unjudged documents could add to it
        options = f"({params.strip(', ')})" if params.strip(", ") else ""
        after = f"@{cut}" if cut is not None else ""
        return [
            r for name in (record.label, record.residual) for r in parse_measure(f"{name}{options}{after}", settings)
        ]
    if re.search(r"\bideal\s*=\s*both\b", params) and any(param.name == "ideal" for param in record.params):
        return [r for way in ("exact", "greedy") for r in parse_measure(re.sub(r"\bboth\b", way, text), settings)]
    given = given_params(record.label, record.params, call["params"] or "", text)
    if record.suffix is not None and number:
        if record.suffix.name in given:
            raise ParameterError(f"{text}: expected {record.suffix.name} once, found it twice")
        given[record.suffix.name] = value_of(record.suffix, number, text)
    if record.cutoff is None:
        spec = make_spec(record, given, settings)
        return [Request(spec, text)]
    name = record.cutoff.name
    if cut is not None:
        given[name] = value_of(record.cutoff, cut, text)
    usual = record.cutoff.default
    cuts: tuple[Value, ...] = (given[name],) if name in given else usual if isinstance(usual, tuple) else (usual,)
    specs = [make_spec(record, {**given, name: one}, settings) for one in cuts]
    return [Request(spec, text if cut is not None else label(spec, settings)) for spec in specs]


AGGREGATES = ("mean", "gmean", "median")


def with_aggregates(requests: Sequence[Request], aggregates: Sequence[str]) -> list[Request]:
    """Each score once for every way of summing up the topics; other requests stay as they are."""
    found = []
    for request in requests:
        if request.spec.measure.kind != "score" or request.how != "mean":
            found.append(request)
            continue
        for how in aggregates:
            label = request.label if how == "mean" else f"{how}:{request.label}"
            found.append(replace(request, label=label, aggregate=how))
    return found


def with_condensed(requests: Sequence[Request]) -> list[Request]:
    """Each score, and after it its version on the condensed list, none twice; other requests stay as they are."""
    both = [
        version
        for request in requests
        for version in ([request, _condensed(request)] if request.spec.measure.kind == "score" else [request])
    ]
    return list({(request.spec, request.how): request for request in both}.values())


def _condensed(request: Request) -> Request:
    """The condensed-list version of a request."""
    if request.spec.condensed:
        return request
    return Request(replace(request.spec, condensed=True), _primed(request.label))


def _primed(text: str) -> str:
    """A prime after the name: AP', nDCG'@10, P'(rel=2)@5."""
    return re.sub(r"^[^(@]+", lambda name: name[0] + "'", text)


def _candidates(name: str, records: Records) -> list[Measure]:
    """Measures of this name, label or alias; those that differ in upper and lower case come last.

    A label or alias that is written exactly so means itself: NRBP@10 is not nRBP@10.
    """
    known = list(records.values())
    exact = [r for r in known if name in (r.label, r.name, *r.aliases)]
    if any(name in (r.label, *r.aliases) for r in exact):
        return exact
    folded = [r for r in known if name.lower() in {n.lower() for n in (r.label, r.name, *r.aliases)}]
    return exact + [r for r in folded if r not in exact]


def _suffixed(name: str, records: Records) -> tuple[list[Measure], str]:
    """`ROUGE-2`: the measures that take a number right after their name, and the number."""
    head = name.rstrip("0123456789")
    found = [r for r in _candidates(head, records) if r.suffix is not None] if head != name else []
    return found, name[len(head) :]


def _fitting(candidates: list[Measure], with_cutoff: bool) -> Measure:
    """The first that has a cutoff where one is given and none where none is; else the first."""
    return next((r for r in candidates if (r.cutoff is not None) == with_cutoff), candidates[0])


def given_params(name: str, params: Sequence[Param], text: str, whole: str) -> dict[str, Value]:
    """The parameters between the parentheses of what is called `name`."""
    known = {p.name: p for p in params}
    given: dict[str, Value] = {}
    at = 0
    while at < len(text):
        found = re.compile(_PARAM).match(text, at)
        if not found or found.end() == at:
            raise ParameterError(f'{whole}: expected parameters such as rel=2, found "{printable(text[at:])}"')
        at = found.end()
        key, value = _ALSO.get(found["key"], found["key"]), found["value"].strip().strip("'\"")
        if key == "dcg" and "gains" in known:  # ir_measures' word for the gain
            key, value = "gains", {"exp-log2": "exp2", "log2": "level"}.get(value, value)
        if key in given:
            raise ParameterError(f"{whole}: expected {key} once, found it twice")
        if key not in known:
            raise ParameterError(f"{whole}: {name} has no parameter {key} (it has {', '.join(known) or 'none'})")
        given[key] = value_of(known[key], value, whole)
    return given


def value_of(param: Param, text: str, whole: str) -> Value:
    """One parameter's value."""
    try:
        if isinstance(param, Cutoffs | Whole):
            lowest = 1 if isinstance(param, Cutoffs) else param.low if isinstance(param, Suffix) else 0
            if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < lowest:
                raise ValueError
            return int(text)
        if isinstance(param, Fractions | Numbers):
            numbers = tuple(float(part) for part in re.split(r"[:;, ]+", text))
            if not all(map(math.isfinite, numbers)) or (isinstance(param, Fractions) and len(numbers) != 1):
                raise ValueError
            return numbers[0] if isinstance(param, Fractions) else numbers
        if isinstance(param, Number):
            if text in param.words:
                return text
            if not param.allows(float(text)):
                raise ValueError
            return float(text)
    except ValueError:
        kind = {Cutoffs: "a rank from 1 on", Whole: "a whole number from 0 on"}.get(type(param), "a number")
        kind = param.range if isinstance(param, Number) else kind
        kind = f"a whole number from {param.low} on" if isinstance(param, Suffix) else kind
        raise ParameterError(f'{whole}: {param.name}: expected {kind}, found "{printable(text)}"') from None
    if isinstance(param, Gains):
        from ireval.measures.gains import parse_gains

        parse_gains(text)
    if isinstance(param, Choice) and text not in param.choices:
        raise ParameterError(f'{whole}: {param.name}: expected {" or ".join(param.choices)}, found "{printable(text)}"')
    return text


def unknown_measure(text: str, records: Records | None = None) -> str:
    """`no measure "x"` with the names that come nearest, or the command that has it."""
    records = all_measures() if records is None else records
    call = re.fullmatch(_CALL, text)
    name = call["name"] if call else text
    for elsewhere in (all_measures(), beyond_measures()):
        found = _candidates(name, elsewhere) or _suffixed(name, elsewhere)[0]
        if found and found[0].name not in records:
            return f"{printable(name)} is a measure of `ireval {BEYOND.get(found[0].needs, 'eval')}`"
    near = near_measures(text, records)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f'no measure "{printable(text)}"{hint}'


def near_measures(text: str, records: Records) -> list[str]:
    """What may have been meant: the names that come nearest, with the parameters and the cutoff of the text."""
    import difflib

    call = re.fullmatch(_CALL, text)
    name = call["name"] if call else text
    tail = text[len(name) :] if call else ""
    names: dict[str, str] = {}
    fitting = [r for r in records.values() if "@" not in tail or r.cutoff is not None]
    own = [r.name for r in fitting if r.needs not in BEYOND]  # only trec_eval's users write these
    labels = [r.label + str((r.suffix and r.suffix.default) or "") for r in fitting]
    for known in ([n for r in fitting for n in r.aliases], labels, own):
        names.update({n.lower(): n for n in known})
    if any(r.trec for r in fitting):
        names.update({n.lower(): n for n in NICKNAMES if not tail})
    near = difflib.get_close_matches(re.sub(r"[._]?[0-9.,]+$", "", name).lower(), names, 3, 0.6)
    return [names[n] + tail for n in near]


def label(spec: Spec, settings: Settings | None = None) -> str:
    """The spec in our own notation: `nDCG@10`, `P(rel=2)@5`."""
    record = spec.measure
    usual = dict(make_spec(record, {}, settings or {}).params)
    cutoff, suffix = record.cutoff, record.suffix
    apart = {param.name for param in (cutoff, suffix) if param is not None}
    shown = [f"{name}={_written(value)}" for name, value in spec.params if value != usual[name] and name not in apart]
    tail = f"@{dict(spec.params)[cutoff.name]}" if cutoff is not None else ""
    sharp = "" if spec.gamma is None else "#"
    weight = [f"gamma={_written(spec.gamma)}"] if spec.gamma not in (None, GAMMA) else []
    if sharp and any(param.name == "gamma" for param in record.params):
        inner = label(replace(spec, lens="", gamma=None), settings)
        return f"{spec.lens}#({','.join([inner, *weight])})"
    if spec.lens[1:].isdigit():
        return f"{spec.lens}({label(replace(spec, lens=''), settings)})"
    number = dict(spec.params)[suffix.name] if suffix is not None else None
    name = record.label + ("" if number is None else str(number)) + (sharp if not spec.lens else "")
    if spec.lens:
        name = f"{name}-IA" if spec.lens == "IA" else f"{spec.lens}{sharp}-{name}"
    shown += weight
    text = name + (f"({','.join(shown)})" if shown else "") + tail
    return _primed(text) if spec.condensed else text


def trec_label(spec: Spec, settings: Settings | None = None) -> str:
    """The spec as trec_eval prints it; in our own notation where trec_eval has no words for it."""
    record, params = spec.measure, dict(spec.params)
    cutoff = {record.cutoff.name: params[record.cutoff.name]} if record.cutoff is not None else {}
    if not record.trec or replace(spec, condensed=False) != make_spec(record, cutoff, settings or {}):
        return label(spec, settings)
    text = spec.name
    if record.cutoff is not None:
        cut = params[record.cutoff.name]
        assert isinstance(cut, int | float)
        text = trec_label_of(spec.name, cut)
    return _primed(text) if spec.condensed else text


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return "'" + ":".join(f"{v:g}" if float(f"{v:g}") == v else repr(v) for v in value) + "'"
    text = str(value)
    return f"'{text}'" if isinstance(value, str) and re.search(r"[^\w.]", text) else text
