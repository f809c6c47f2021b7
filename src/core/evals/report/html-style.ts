/** The style sheet of HTML reports. Colours keep a contrast of 4.5 for text and 3 for marks in both schemes. */
export const STYLE = `:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d8dee4; --track: #e9ecef;
  --one: #0b62c4; --a: #57606a; --b: #0b62c4; --good: #1a7f37; --bad: #cf3a2b; --neutral: #5b6b7c; --code: #f1f3f5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #161b22; --text: #e6edf3; --quiet: #9aa5b1; --line: #30363d; --track: #262c34;
    --one: #58a6ff; --a: #a5b1bd; --b: #58a6ff; --good: #3fb950; --bad: #ff7b72; --neutral: #8b9bab; --code: #1f252d;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
main { max-width: 920px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; font-size: 17px; }
p, ul { margin: 12px 0; max-width: 76ch; overflow-wrap: anywhere; }
.lead { font-size: 18px; }
section { margin: 20px 0; padding: 20px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
figure { margin: 0 0 16px; padding: 0 6px; }
figcaption { margin: 20px 0 4px; color: var(--quiet); font-size: 14px; font-weight: 600; }
figure svg { display: block; overflow: visible; }
.key { margin: 0 0 4px; color: var(--quiet); font-size: 13px; }
.key svg { display: inline; vertical-align: -1px; }
svg text { fill: var(--text); font-size: 13px; }
svg .value { font-variant-numeric: tabular-nums; }
svg .extra, svg .tick { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); stroke-dasharray: 2 3; }
.axis { stroke: var(--line); }
.track { fill: var(--track); }
.whisker { stroke-width: 3; stroke-linecap: round; opacity: .5; }
.one { fill: var(--one); stroke: var(--one); }
.a { fill: var(--card); stroke: var(--a); stroke-width: 2; }
.b { fill: var(--b); stroke: var(--b); }
.bar.good { fill: var(--good); } .bar.bad { fill: var(--bad); } .bar.neutral { fill: var(--neutral); }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: 14px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { min-width: 8em; font-weight: 400; }
tbody th:first-child:nth-last-child(n + 6), tbody th:empty { min-width: 0; }
td, .number { white-space: nowrap; }
td:not(.number) { white-space: normal; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { margin: 4px 0 12px; padding: 10px 12px; overflow-x: auto; background: var(--code); border-radius: 6px; }
details { border-top: 1px solid var(--line); }
summary { padding: 7px 0; cursor: pointer; overflow-wrap: anywhere; }
details p { margin: 6px 0; }
:focus-visible { outline: 2px solid var(--one); outline-offset: 2px; }
@media (max-width: 560px) {
  main { padding: 20px 12px 40px; }
  section { padding: 14px; }
  svg .extra { display: none; }
}
@media print { body { background: none; } section { break-inside: avoid; } }
`;
