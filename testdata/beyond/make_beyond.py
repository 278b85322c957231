"""Writes the samples of `session`, `answers` and `rouge`. Sessions are drawn, seeded; the texts are ours."""

from __future__ import annotations

import random
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = {"plain": 0.5, "suggest": 0.9}
SESSIONS = [f"s{n:02d}" for n in range(1, 21)]

NUGGETS = {
    "tides": [
        ("moon", 3, "the pull of the moon"),
        ("twice", 2, "high water twice a day"),
        ("spring", 2, "strongest at full and new moon"),
        ("sun", 1, "the sun adds a smaller pull"),
    ],
    "yeast": [
        ("fungus", 3, "a single-celled fungus"),
        ("sugar", 3, "turns sugar into alcohol and gas"),
        ("bread", 2, "the gas makes bread rise"),
        ("heat", 1, "dies above 55 degrees"),
    ],
    "lighthouse": [
        ("purpose", 3, "warns ships of rocks"),
        ("lens", 2, "a Fresnel lens bundles the light"),
        ("pattern", 2, "each has its own pattern of flashes"),
        ("keeper", 1, "keepers were replaced by machines"),
    ],
}
ANSWERS = {
    "terse": {
        "tides": ["Tides follow the pull of the moon: high water twice a day, strongest at full and new moon."],
        "yeast": ["Yeast is a single-celled fungus that turns sugar into alcohol and gas."],
        "lighthouse": ["A lighthouse warns ships of rocks; each has its own pattern of flashes."],
    },
    "verbose": {
        "tides": [
            "Anyone who has spent a holiday by the sea knows that the water comes and goes.",
            "There is high water twice a day, and sailors have always kept tables of it.",
            "The reason is the pull of the moon, although the sun adds a smaller pull.",
        ],
        "yeast": [
            "Bakers and brewers have used yeast for thousands of years without knowing what it was.",
            "In dough, the gas makes bread rise. Yeast dies above 55 degrees.",
        ],
        "lighthouse": [
            "Lighthouses are popular with painters and with people who like to be alone.",
            "In each of them a Fresnel lens bundles the light, which warns ships of rocks from far away.",
        ],
    },
}
TEXTS = {
    "lead": {
        "n1": "The city opened a new bridge over the river on Monday. Cyclists may use it free of charge.",
        "n2": "Heavy rain closed two mountain roads. Police asked drivers to stay at home.",
        "n3": "The museum shows drawings by children. Entry is free until the end of May.",
        "n4": "Farmers expect a small harvest of apples this year because of frost in April.",
    },
    "extract": {
        "n1": "A new bridge was opened on Monday by the mayor, and cyclists crossed the river first.",
        "n2": "Two mountain roads are closed after heavy rain, and drivers should stay at home.",
        "n3": "Drawings by children are shown in the museum until the end of May.",
        "n4": "Frost in April has damaged the apple trees, so a small harvest is expected.",
    },
    "reference1": {
        "n1": "On Monday a new bridge over the river was opened, which cyclists may use free of charge.",
        "n2": "Two mountain roads were closed because of heavy rain, and drivers were asked to stay at home.",
        "n3": "Until the end of May the museum shows drawings by children, and entry is free.",
        "n4": "Because of frost in April, farmers expect a small apple harvest this year.",
    },
    "reference2": {
        "n1": "The new river bridge is open to cyclists since Monday.",
        "n2": "Police closed two roads in the mountains after rain.",
        "n3": "Children's drawings can be seen in the museum, free of charge, until May ends.",
        "n4": "A frost in April means few apples this year, farmers say.",
    },
}


def write(name: str, lines: list[str]) -> None:
    """One file."""
    (HERE / name).write_text("".join(f"{line}\n" for line in lines))


def sessions() -> None:
    """Two to four queries a session; a system that suggests queries does better with each of them."""
    rng = random.Random(9)
    judgements: dict[str, dict[str, int]] = {}
    lists: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    clicks: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    for session in SESSIONS:
        documents = [f"DOC-{session}-{n:03d}" for n in range(120)]
        level = {d: max(0, min(3, int(rng.expovariate(1.5)))) for d in documents}
        length = {d: rng.randint(500, 9000) for d in documents}
        judgements[session] = {}
        queries = rng.randint(2, 4)
        for name, skill in SYSTEMS.items():
            for query in range(1, queries + 1):
                score = {d: (0.4 + skill * query / 4) * level[d] + rng.gauss(0, 1) for d in documents}
                ranked = sorted(documents, key=lambda d: score[d], reverse=True)[:10]
                judgements[session].update({d: level[d] for d in ranked})
                lists[name] += [f"{session} {query} {d} {r} {score[d]:.4f} {name}" for r, d in enumerate(ranked, 1)]
                clicked = [r for r, d in enumerate(ranked, 1) if rng.random() < 0.1 + 0.2 * level[d]]
                if rng.random() < 0.3:
                    clicked.reverse()  # not everybody reads from the top
                clicks[name] += [f"{session} {query} {r} {length[ranked[r - 1]]}" for r in clicked]
    write(
        "session.qrels", [f"{s} 0 {d} {level}" for s, found in judgements.items() for d, level in sorted(found.items())]
    )
    for name in SYSTEMS:
        write(f"{name}.sessions", lists[name])
        write(f"{name}.clicks", clicks[name])


def answers() -> None:
    """Nuggets and answers as texts, and the same as lengths and offsets: a nugget is found where its text stands."""
    rows = [(topic, *nugget) for topic, nuggets in NUGGETS.items() for nugget in nuggets]
    write("nuggets.tsv", [f"{topic}\t{name}\t{weight}\t{text}" for topic, name, weight, text in rows])
    write("nuggets", [f"{topic} {name} {weight} {len(text)}" for topic, name, weight, text in rows])
    for system, given in ANSWERS.items():
        write(f"{system}.answers.tsv", [f"{topic}\t{text}" for topic, strings in given.items() for text in strings])
        matches = []
        for topic, strings in given.items():
            whole = " ".join(strings)
            matches.append(f"{topic} syslen= {len(whole)}")
            found = [(whole.find(text) + len(text), name) for name, _, text in NUGGETS[topic] if text in whole]
            matches += [f"{topic} {name} {end}" for end, name in sorted(found)]
        write(f"{system}.matches", matches)


def texts() -> None:
    """Short news, two systems and two people."""
    for name, given in TEXTS.items():
        write(f"{name}.tsv", [f"{key}\t{text}" for key, text in given.items()])


if __name__ == "__main__":
    sessions()
    answers()
    texts()
