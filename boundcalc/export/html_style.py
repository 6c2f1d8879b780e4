"""How pages look: on a screen of any width, in the dark, and on paper. No font or picture is fetched.

Classes begin with bc-, so that the blocks can stand in somebody else's page (a notebook) and leave it as it is. Colours
are set for pages only: a fragment takes the colours of what is around it.
"""

from __future__ import annotations

PAGE = """\
:root {
  color-scheme: light dark;
  --bc-text: #1b1b1b; --bc-ground: #ffffff; --bc-faint: #555555; --bc-line: #c4c4c4; --bc-link: #0b4f9e;
  --bc-shade: #f4f4f2;
  --bc-proved: #0b5d1e; --bc-refuted: #9b1313; --bc-conditional: #7a4a00; --bc-vacuous: #5b2a86;
  --bc-supported: #0b4f7a; --bc-undecided: #4a4a4a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bc-text: #e8e6e1; --bc-ground: #16181b; --bc-faint: #b0b0ac; --bc-line: #4c4f54; --bc-link: #8ab8f5;
    --bc-shade: #212429;
    --bc-proved: #7fd695; --bc-refuted: #ff9d94; --bc-conditional: #f0bf6a; --bc-vacuous: #d0a9f5;
    --bc-supported: #8cc8f0; --bc-undecided: #c2c2c2;
  }
}
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; padding: 1.5rem 1rem 4rem; color: var(--bc-text); background: var(--bc-ground);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, "DejaVu Serif", serif;
  overflow-wrap: break-word;
}
main { max-width: 72rem; margin: 0 auto; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 2em 0 0.6em; max-width: 45rem; break-after: avoid; }
h1 { font-size: 1.7rem; margin-top: 0; }
h2 { font-size: 1.3rem; border-bottom: 1px solid var(--bc-line); padding-bottom: 0.2em; max-width: none; }
h3 { font-size: 1.1rem; }
h4, h5, h6 { font-size: 1rem; }
main p, main dl { max-width: 70ch; }
a { color: var(--bc-link); }
.bc-contents ul { list-style: none; padding-left: 0; columns: 18rem; }
nav.bc-contents li { break-inside: avoid; margin: 0; padding: 0.15em 0; }
@page { margin: 18mm 16mm; }
@media print {
  :root {
    color-scheme: light;
    --bc-text: #000000; --bc-ground: #ffffff; --bc-faint: #333333; --bc-line: #888888; --bc-link: #000000;
    --bc-shade: #ffffff;
    --bc-proved: #0b5d1e; --bc-refuted: #9b1313; --bc-conditional: #7a4a00; --bc-vacuous: #5b2a86;
    --bc-supported: #0b4f7a; --bc-undecided: #4a4a4a;
  }
  body { padding: 0; font-size: 10pt; line-height: 1.4; }
  main { max-width: none; }
  main p, main dl { max-width: none; }
  a { text-decoration: none; }
}
"""

BLOCKS = """\
.bc math { font-size: 1.1em; }
.bc-formula math, .bc-wide math, .bc-display math { margin-block: 0.25em; }
.bc-wide { display: inline-grid; max-width: 100%; overflow-x: auto; overflow-y: hidden; }
.bc-number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.bc-number sup { line-height: 0; font-size: 0.75em; }
.bc-arrow { color: var(--bc-faint, inherit); }
.bc code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.9em;
  overflow-wrap: anywhere; }
.bc pre { overflow-x: auto; padding: 0.6em 0.8em; border: 1px solid var(--bc-line, currentColor); border-radius: 3px;
  background: var(--bc-shade, transparent); line-height: 1.4; }
.bc pre code { overflow-wrap: normal; }
.bc-verdict { display: inline-block; padding: 0 0.5em; border: 2px solid; border-radius: 3px; font-size: 0.9em;
  font-weight: 600; line-height: 1.4; white-space: nowrap; }
.bc-proved { color: var(--bc-proved, inherit); border-style: solid; }
.bc-refuted { color: var(--bc-refuted, inherit); border-style: double; border-width: 4px; }
.bc-conditional { color: var(--bc-conditional, inherit); border-style: dashed; }
.bc-vacuous { color: var(--bc-vacuous, inherit); border-style: dotted; }
.bc-supported { color: var(--bc-supported, inherit); border-style: none none solid; border-radius: 0; }
.bc-undecided { color: var(--bc-undecided, inherit); border-style: none none dotted; border-radius: 0; }
.bc-display { display: grid; grid-template-columns: fit-content(40%) auto minmax(0, 1fr); gap: 0.7em 0.3em;
  align-items: baseline; margin: 1em 0 1em 1.5em; }
.bc-left { text-align: right; }
.bc-left, .bc-right { min-width: 0; overflow-x: auto; overflow-y: hidden; }
.bc-table { margin: 1.2em 0; }
.bc-table figcaption { font-weight: 600; max-width: 70ch; margin-bottom: 0.4em; break-after: avoid; }
.bc-scroll { overflow-x: auto; }
.bc-table table { border-collapse: collapse; border-block: 1.5px solid var(--bc-line, currentColor); line-height: 1.45; }
.bc-table th, .bc-table td { padding: 0.35em 0.7em; vertical-align: baseline; font-weight: normal;
  text-align: left !important; }
.bc-table thead th { font-weight: 600; border-bottom: 1px solid var(--bc-line, currentColor); vertical-align: bottom; }
.bc-table tbody tr + tr > * { border-top: 1px solid color-mix(in srgb, var(--bc-line, currentColor) 45%, transparent); }
.bc-table .bc-group { font-style: italic; padding-top: 0.7em; }
.bc-table .bc-r { text-align: right !important; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bc-table .bc-l { white-space: nowrap; }
.bc-table .bc-w { min-width: 9em; }
.bc-note { font-size: 0.9em; color: var(--bc-faint, inherit); margin: 0.4em 0 0; max-width: 75ch; }
.bc li > p:only-child, .bc dd > p:only-child { margin: 0; }
.bc li { margin: 0.3em 0; }
.bc-fields > div { display: grid; grid-template-columns: 8em minmax(0, 1fr); gap: 0 1em; margin: 0.35em 0; }
.bc-fields dt { color: var(--bc-faint, inherit); font-style: italic; }
.bc-fields dd { margin: 0; min-width: 0; }
.bc-fields dd > :first-child { margin-top: 0; }
.bc-fields dd > :last-child { margin-bottom: 0; }
.bc-statement { display: flow-root; margin: 1.2em 0; padding-left: 1em;
  border-left: 3px solid var(--bc-line, currentColor); }
.bc-statement > :first-child { margin-top: 0; }
.bc-statement > :last-child { margin-bottom: 0; }
.bc-end { float: right; }
.bc-sources { list-style: none; padding-left: 0; }
.bc-sources li { padding-left: 1.5em; text-indent: -1.5em; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  .bc-display { margin-left: 0.5em; gap: 0 0.3em; }
  .bc-display:not(.bc-narrow) { grid-template-columns: auto minmax(0, 1fr); }
  .bc-display:not(.bc-narrow) .bc-left { grid-column: 1 / -1; text-align: left; }
  .bc-display:not(.bc-narrow) .bc-relation { padding-left: 1em; }
  .bc-fields > div { display: block; margin: 0.6em 0; }
  .bc-table th, .bc-table td { padding: 0.35em 0.5em; }
  .bc-table .bc-l { white-space: normal; }
}
@media print {
  .bc-scroll, .bc-wide, .bc-left, .bc-right, .bc pre { overflow: visible; }
  .bc math { font-size: 1.1em; }
.bc-formula math, .bc-wide math, .bc-display math { margin-block: 0.25em; }
.bc-wide { display: inline; font-size: min(1em, calc(30em / var(--w))); }
  .bc pre, .bc code { white-space: pre-wrap; overflow-wrap: anywhere; }
  .bc-table table { font-size: 0.9em; }
  .bc-table th, .bc-table td { padding: 0.25em 0.4em; }
  .bc-table .bc-l { white-space: normal; }
  .bc-table .bc-w { min-width: 0; }
  .bc-table thead { display: table-header-group; }
  .bc-table tr, .bc-fields > div, .bc pre { break-inside: avoid; }
  .bc p { orphans: 3; widows: 3; }
}
"""

# A report on claims is read on phones too: nothing scrolls sideways, and what is too wide for its line gets smaller.
REPORT = """\
.bc-report pre, .bc-report pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
.bc-report .bc-left, .bc-report .bc-right, .bc-report .bc-wide, .bc-report .bc-scroll { overflow: visible; }
.bc-report .bc-left math, .bc-report .bc-right math, .bc-report .bc-wide { max-width: none; }
.bc-report .bc-formula { display: inline; }
.bc-report .bc-table .bc-l { white-space: normal; }
.bc-report h3 { break-before: auto; break-after: avoid-page; }
.bc-report .bc-fields > div:first-child { break-before: avoid; }
@media screen and (max-width: 40rem) {
  .bc-report .bc-wide { display: inline; font-size: min(1em, calc(17em / var(--w))); }
  .bc-report .bc-table thead { display: none; }
  .bc-report .bc-table table, .bc-report .bc-table tbody, .bc-report .bc-table tr, .bc-report .bc-table th,
  .bc-report .bc-table td { display: block; }
  .bc-report .bc-table tr { padding: 0.5em 0; }
  .bc-report .bc-table tbody tr + tr { border-top: 1px solid var(--bc-line, currentColor); }
  .bc-report .bc-table tbody tr + tr > * { border-top: none; }
  .bc-report .bc-table th, .bc-report .bc-table td { padding: 0.1em 0; text-align: left !important; }
  .bc-report .bc-table .bc-l, .bc-report .bc-table .bc-r { display: inline-block; margin-right: 0.7em; white-space: normal; }
}
"""
