"""The sources that boundcalc names: how they are cited, and their BibTeX entries.

Texts name a source in words ("arXiv 2604.24878", "Yarotsky 2017"); `mentioned` finds them there, so that a list of
references is derived from what is said and not kept beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..formulas.mathtext import pieces, plain, to_latex


@dataclass(frozen=True)
class Publication:
    """One source. `mention` is how texts name it; `published` is where, beside arXiv."""

    key: str
    mention: str
    authors: tuple[tuple[str, str], ...]        # first names, last name
    title: str                                  # prose with formulas between dollar signs
    year: int
    arxiv: str = ""
    published: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """How it is cited in running text: Hu et al. 2025."""
        last = [name for _, name in self.authors]
        who = last[0] if len(last) == 1 else " and ".join(last) if len(last) == 2 else f"{last[0]} et al."
        return f"{who} {self.year}"

    @property
    def text(self) -> str:
        """A line of a reference list, in plain text."""
        who = ", ".join(f"{first} {last}" for first, last in self.authors)
        fields = dict(self.published)
        where = []
        if "journal" in fields:
            where.append(f"{fields['journal']} {fields['volume']}, {fields['pages'].replace('--', '–')}")
        where += [fields["booktitle"]] if "booktitle" in fields else []
        where += [f"arXiv:{self.arxiv}"] if self.arxiv else []
        return f"{who}. {plain(self.title)}. {', '.join(where)}, {self.year}."

    @property
    def bibtex(self) -> str:
        kind = "article" if dict(self.published).get("journal") else "inproceedings" if self.published else "misc"
        title = "".join(f"${to_latex(part)}$" if formula else part for formula, part in pieces(self.title))
        fields = {"author": " and ".join(f"{_ascii(last)}, {first}" for first, last in self.authors),
                  "title": title.replace("ReLU", "{ReLU}").replace("Softmax", "{Softmax}"), "year": str(self.year),
                  **dict(self.published)}
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archiveprefix": "arXiv"}
        width = max(map(len, fields))
        lines = [f"  {name.ljust(width)} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])


ENTRIES = (
    Publication("yarotsky2017", "Yarotsky 2017", (("Dmitry", "Yarotsky"),),
          "Error bounds for approximations with deep ReLU networks", 2017, "1610.01145",
          (("journal", "Neural Networks"), ("volume", "94"), ("pages", "103--114"))),
    Publication("montufar2014", "Montufar et al. 2014",
          (("Guido", "Montúfar"), ("Razvan", "Pascanu"), ("Kyunghyun", "Cho"), ("Yoshua", "Bengio")),
          "On the Number of Linear Regions of Deep Neural Networks", 2014, "1402.1869",
          (("booktitle", "Advances in Neural Information Processing Systems"),)),
    Publication("hu2025universal", "2504.15956",
          (("Jerry Yao-Chieh", "Hu"), ("Hude", "Liu"), ("Hong-Yu", "Chen"), ("Weimin", "Wu"), ("Han", "Liu")),
          "Universal Approximation with Softmax Attention", 2025, "2504.15956"),
    Publication("nair2025softmax", "2510.23012", (("Pravin", "Nair"),),
          "Softmax is 1/2-Lipschitz: A tight bound across all $ℓ_p$ norms", 2025, "2510.23012"),
    Publication("gu2026maxout", "2603.03084", (("Linyan", "Gu"), ("Lihua", "Yang"), ("Feng", "Zhou")),
          "On the Expressive Power of Transformers for Maxout Networks and Continuous Piecewise Linear Functions", 2026,
          "2603.03084"),
    Publication("hu2026relus", "2604.24878",
          (("Jerry Yao-Chieh", "Hu"), ("Mingcheng", "Lu"), ("Yi-Chen", "Lee"), ("Han", "Liu")),
          "Transformer Approximations from ReLUs", 2026, "2604.24878"),
)
_BY_KEY = {e.key: e for e in ENTRIES}


def entry(key: str) -> Publication:
    return _BY_KEY[key]


def mentioned(texts: Iterable[str]) -> tuple[str, ...]:
    """The keys of the sources that the texts name."""
    whole = "\n".join(texts)
    return tuple(e.key for e in ENTRIES if e.mention in whole)


def bibtex(keys: Iterable[str]) -> str:
    """BibTeX entries, ready for a .bib file."""
    return "\n\n".join(entry(key).bibtex for key in keys) + "\n"


def _ascii(name: str) -> str:
    return name.replace("ú", r"{\'u}")
