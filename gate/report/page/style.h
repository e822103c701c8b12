#pragma once

namespace kgate::report {

// The page's style: legible on a phone and on paper, by day and by night. Verdicts have a shape beside their colour;
// the two versions are Okabe and Ito's blue and vermilion, which people who see few colours tell apart, lighter on a
// dark ground. Neither "<" nor "&" may be in it.
inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --ground: #fff; --panel: #f6f7f9; --text: #1b1f24; --dim: #59636e; --line: #d4d9df;
  --strong: #8a949e; --link: #0057a8; --good: #00714f; --doubtful: #8a5a00; --bad: #b3261e; --zone: #e8a33d;
  --over: #d55e00; --a0: #d55e00; --a1: #0072b2; --a2: #00805f; --a3: #9c4a78; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f1317; --panel: #171c22; --text: #e3e7eb; --dim: #9aa5b1; --line: #2c343d; --strong: #76828e;
    --link: #7cbcff; --good: #4fd1a5; --doubtful: #e0b050; --bad: #ff8a80; --zone: #e0a040; --over: #ff7a30;
    --a0: #ff8c42; --a1: #56b4e9; --a2: #3fd6a5; --a3: #f0a6cc; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0.5rem 0; font-weight: 400; }
h1 .badge { font-size: 1.35rem; margin-right: 0.4rem; }
h2 { font-size: 1.2rem; margin: 0 0 0.5rem; }
h3 { font-size: 1.02rem; margin: 1.4rem 0 0.4rem; }
h4 { font-size: 0.92rem; margin: 1rem 0 0.3rem; }
h5 { font-size: 0.85rem; margin: 0.6rem 0 0.2rem; color: var(--dim); font-weight: 600; }
a { color: var(--link); }
p { margin: 0.5rem 0; }
h1, h3, p, li, dd, td, summary { overflow-y: clip; }
ul, ol { padding-left: 1.3rem; margin: 0.4rem 0; }
section { border-top: 1px solid var(--line); padding: 1.1rem 0; margin-top: 0.6rem; }
article { margin: 0.6rem 0 1.2rem; padding-left: 0.9rem; border-left: 4px solid var(--bad); }
article h3 { margin: 0; }
.good { color: var(--good); } .doubtful { color: var(--doubtful); } .bad { color: var(--bad); }
h1 .words { color: var(--text); }
.badge { font-weight: 600; white-space: nowrap; }
.badge .sign { fill: currentColor; overflow: visible; margin-right: 0.25rem; vertical-align: -1px; }
.dim, figcaption, dt, caption { color: var(--dim); }
.dim, figcaption, details ul, details ol { font-size: 0.875rem; }
.label { margin: 0.5rem 0 0.1rem; }
code, pre { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); padding: 0.6rem 0.8rem; margin: 0.4rem 0; overflow-x: auto;
  max-height: 32rem; }
pre.command { white-space: pre-wrap; user-select: all; border-left: 4px solid var(--link); }
.plus { color: var(--good); } .minus { color: var(--bad); } .place, .file { color: var(--dim); }
.file { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.5rem 0; font-size: 0.875rem; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; margin: 0.3rem 0; }
caption { text-align: left; padding: 0.3rem 0; font-weight: 600; }
th { text-align: left; color: var(--dim); font-weight: 600; vertical-align: bottom; }
th, td { padding: 0.25rem 0.7rem 0.25rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; }
.cards th, .cards td { overflow-wrap: break-word; } .cards td { max-width: 22rem; }
.cards td:first-child { min-width: 6rem; }
.chart td { vertical-align: middle; }
.chart .number, .cards .number { white-space: nowrap; }
.chart { table-layout: fixed; }
.chart th:nth-child(1) { width: 27%; }
.chart th:nth-child(3) { width: 12.5rem; } .chart th:nth-child(4) { width: 8rem; }
.again { color: var(--dim); }
details { margin: 0.3rem 0; }
summary { cursor: pointer; padding: 0.25rem 0; }
details.kernel { border-bottom: 1px solid var(--line); margin: 0; }
details.kernel[open] { padding-bottom: 1rem; }
.kernels { content-visibility: visible; }
details.kernel div[id] { padding-left: 0.9rem; border-left: 2px solid var(--line); scroll-margin-top: 3rem; }
.remedy { background: var(--panel); padding: 0.4rem 0.8rem; margin-top: 0.5rem; }
.remedy h4 { margin: 0.1rem 0; }
.remedy pre { background: var(--ground); }
.shapes { position: absolute; }
.strip { display: block; overflow: visible; }
.strip .good { fill: var(--good); stroke: var(--good); } .strip .bad { fill: var(--bad); stroke: var(--bad); }
.strip .doubtful { fill: var(--doubtful); stroke: var(--doubtful); } .strip .plain { fill: var(--dim); stroke: var(--dim); }
.strip .mark { stroke: var(--ground); stroke-width: 1; }
.strip .interval { stroke-width: 3; }
.strip .bar { fill-opacity: 0.35; stroke: none; y: 20%; height: 60%; }
.zero { stroke: var(--strong); } .grid { stroke: var(--line); }
.zone { fill: var(--zone); fill-opacity: 0.28; } .over { fill: var(--over); fill-opacity: 0.13; }
.density { fill: var(--dim); } .cost { fill: var(--strong); }
text { font: 12px system-ui, sans-serif; fill: var(--dim); }
text.middle { text-anchor: middle; } text.left { text-anchor: end; }
figure { margin: 0.5rem 0 1rem; }
.pair { display: grid; grid-template-columns: 4fr 1fr; gap: 0.5rem; padding-left: 4.2rem; }
.frame { display: block; overflow: visible; }
.ground { fill: var(--panel); }
.round { stroke: var(--strong); stroke-dasharray: 2 3; }
.point { fill: none; stroke-width: 5; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.point.a0 { stroke: var(--a0); stroke-linecap: square; } .point.a1 { stroke: var(--a1); stroke-width: 6; }
.point.a2 { stroke: var(--a2); stroke-width: 2; stroke-linecap: butt; }
.point.a3 { stroke: var(--a3); stroke-width: 1; stroke-linecap: butt; }
.shape { fill-opacity: 0.22; stroke-width: 1.3; vector-effect: non-scaling-stroke; }
.median { fill: none; stroke-width: 1.6; vector-effect: non-scaling-stroke; }
.shape.a0, .median.a0 { stroke: var(--a0); } .shape.a0 { fill: var(--a0); }
.shape.a1, .median.a1 { stroke: var(--a1); } .shape.a1 { fill: var(--a1); stroke-dasharray: 4 2; }
.median.a1 { stroke-dasharray: 4 2; }
.shape.a2, .median.a2 { stroke: var(--a2); } .shape.a2 { fill: var(--a2); stroke-dasharray: 1 2; }
.shape.a3, .median.a3 { stroke: var(--a3); } .shape.a3 { fill: var(--a3); stroke-dasharray: 6 2 1 2; }
.legend { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; }
.key { vertical-align: -1px; margin-right: 0.3rem; overflow: visible; }
@media (max-width: 50rem) {
  body { padding: 0.75rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.3rem; }
  .cards thead { display: none; }
  .cards, .cards tbody, .cards caption { display: block; }
  .cards tr { display: block; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
  .cards td, .cards td:first-child { display: inline-block; border: 0; padding: 0; margin-right: 0.9rem; min-width: 0;
    max-width: 100%; white-space: normal; }
  .cards td:empty { display: none; }
  .cards td[data-label]::before { content: attr(data-label) " "; color: var(--dim); }
  .chart, .chart tbody, .chart thead { display: block; }
  .chart th { display: none; } .chart th.plot { display: block; width: 100%; border: 0; padding: 0; }
  .chart tr { display: grid; grid-template-columns: 1fr max-content; padding: 0.3rem 0; border-bottom: 1px solid var(--line); }
  .chart td { border: 0; padding: 0; }
  .chart .plot { grid-column: 1 / -1; grid-row: 2; }
  .chart td:nth-child(1) { grid-column: 1; grid-row: 1; } .chart td:nth-child(4) { grid-column: 2; grid-row: 1; }
  .chart td:nth-child(3) { grid-column: 1 / -1; grid-row: 3; }
  .parts td:nth-child(3) { grid-column: 2; grid-row: 1; }
  .pair { padding-left: 3.6rem; grid-template-columns: 3fr 1fr; }
  details.kernel div[id] { padding-left: 0; border-left: 0; }
}
@media print {
  body { max-width: none; font-size: 10pt; }
  article, figure, tr { break-inside: avoid; }
  pre { white-space: pre-wrap; max-height: none; }
  a { color: inherit; text-decoration: none; }
}
)css";

}  // namespace kgate::report
