"""boundcalc check: verdicts on claims from files, from one line, or on the bundled papers."""

from __future__ import annotations

import click

from ..errors import InvalidInput
from ..export.findings import FORMATS, check_format, render
from . import options, output
from .command import Command
from .main import DONE, REFUTED, UNDECIDED


@click.command("check", cls=Command)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--claim", "text", metavar="TEXT", help="one claim, such as 'max[route=tree, gate=silu].heads <= n - 1'")
@click.option("--for", "domain", metavar="TEXT", help="where that claim is to hold, such as 'n >= 2, 0 < eps <= 1/2'")
@click.option("--papers", is_flag=True, help="the claims of the literature that come with boundcalc")
@click.option("--use", "uses", multiple=True, metavar="FILE",
              help="let claims speak of the construction of this file, by its name; the file is executed")
@click.option("--format", "-f", "form", default="text", show_default=True, metavar="NAME",
              help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; the last three make a referee's report")
@click.option("--standalone", is_flag=True, help="with -f latex: a whole document, ready to be set")
@output.file_option()
def command(files: tuple[str, ...], text: str | None, domain: str | None, papers: bool, uses: tuple[str, ...], form: str,
            standalone: bool, path: str | None) -> int:
    """Decide claims: proved, refuted, conditional, vacuous, supported or undecided.

    \b
    boundcalc check --claim 'softmax.lipschitz(inf, inf) <= 1' --for 'beta > 0, n >= 2'
    boundcalc check claims.toml review.md -f json
    boundcalc check --papers
    boundcalc check --claim 'mine[gate=silu].heads <= 1' --use mine.py
    boundcalc check claims.toml -f latex --standalone -o report.tex

    Exit code 0 if every claim is proved, 1 if one is refuted, 3 if one is neither, 2 if something cannot be read.
    """
    if sum((bool(files), text is not None, papers)) != 1:
        raise InvalidInput("Give files, or --claim, or --papers.", "One of the three; see boundcalc check --help.")
    if domain is not None and text is None:
        raise InvalidInput("--for belongs to --claim.", "In files, a claim has a line for = \"…\".")
    check_format(form, standalone)
    output.check_ending(path, form, FORMATS)
    if uses:
        from ..declarations.registry import use
        for file in uses:
            use(file)
    from ..claims.load import load_files, load_papers, one_line
    claims = load_papers() if papers else load_files(files) if files else [one_line(text or "", domain or "")]
    from ..claims.check import decide, problem_of, read_all
    read = read_all(claims)     # all that cannot be read is reported before anything is decided
    findings = []
    with options.progress("checking") as progress:
        for k, prepared in enumerate(read):
            progress(k, len(read))
            try:
                findings.append(decide(prepared))
            except InvalidInput as problem:
                raise problem_of(prepared.claim, problem) from problem
    output.write(render(findings, form, standalone), path, form)
    verdicts = {f.verdict for f in findings}
    return REFUTED if "refuted" in verdicts else DONE if verdicts == {"proved"} else UNDECIDED
