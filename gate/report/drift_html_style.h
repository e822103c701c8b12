#pragma once

namespace kgate::report {

// The page's style: legible on a phone and on paper, by day and by night. The colours of cases are Okabe and Ito's,
// which people who see few colours tell apart; lighter ones on a dark ground. Neither "<" nor "&" may be in it.
inline constexpr const char* kDriftStyle = R"css(
:root { --ground: #fff; --panel: #f6f7f9; --text: #1b1f24; --dim: #59636e; --line: #d4d9df; --strong: #9aa3ad;
  --good: #1a7f37; --doubtful: #8a5a00; --bad: #b3261e; --link: #0057a8;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b8578c; --c4: #9a7400; --c5: #444; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f1317; --panel: #171c22; --text: #e3e7eb; --dim: #9aa5b1; --line: #2c343d; --strong: #66717d;
    --good: #5fcf80; --doubtful: #e0b050; --bad: #ff8a80; --link: #7cbcff;
    --c0: #56b4e9; --c1: #ff8c42; --c2: #3fd6a5; --c3: #f0a6cc; --c4: #e6c229; --c5: #ddd; }
}
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 1.05rem; margin: 0 0 0.25rem; }
a { color: var(--link); }
p { margin: 0.5rem 0; }
ul, ol { padding-left: 1.4rem; margin: 0.5rem 0; }
.verdict { font-weight: 600; }
.good { color: var(--good); } .doubtful { color: var(--doubtful); } .bad { color: var(--bad); }
.dim, figcaption, dt { color: var(--dim); }
.dim, figcaption, section ol, section li { font-size: 0.875rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 1rem 0; font-size: 0.875rem; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--dim); font-weight: 600; }
th, td { padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.by { min-width: 13rem; }
td.number { white-space: nowrap; }
section { border-top: 1px solid var(--line); padding: 1.25rem 0; content-visibility: auto;
  contain-intrinsic-size: auto 30rem; }
figure { margin: 0.75rem 0; }
.plot { padding: 0 0.75rem 0 3.6rem; }
.frame { display: block; width: 100%; overflow: visible; }
.shapes { position: absolute; }
.key { vertical-align: -1px; margin-right: 0.35rem; overflow: visible; }
text { font: 12px system-ui, sans-serif; fill: var(--dim); stroke: var(--ground); stroke-width: 4px;
  stroke-linejoin: round; paint-order: stroke; }
text.left { text-anchor: end; } text.middle { text-anchor: middle; } text.right { text-anchor: start; }
.ground { fill: var(--panel); }
.gap { fill: var(--line); fill-opacity: 0.6; } .when { fill: var(--strong); fill-opacity: 0.25; }
.grid { stroke: var(--line); } .zero, .tick { stroke: var(--strong); }
.change { stroke: var(--text); stroke-dasharray: 4 3; }
.night, .level { fill: none; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.night { stroke-width: 1.3; stroke-opacity: 0.5; } .level { stroke-width: 2.4; }
.mark { fill: none; stroke-width: 1.6; } .any { stroke: var(--text); }
.machine { fill: var(--text); } .version { fill: var(--text); stroke: var(--text); }
.shape { stroke: var(--panel); stroke-width: 1; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
.c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); }
.f3 { fill: var(--c3); } .f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
.legend { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.2rem; font-size: 0.875rem; }
@media (max-width: 44rem) {
  .wide { display: none; }
  thead { display: none; }
  tr { display: block; padding: 0.4rem 0; border-bottom: 1px solid var(--line); }
  td { display: block; border: 0; padding: 0; }
  .by { min-width: 13rem; }
td.number { white-space: normal; }
  td[data-label] { display: inline-block; margin-right: 1rem; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--dim); }
  .by { min-width: 0; }
  .plot { padding-left: 3.2rem; }
}
@media print {
  body { max-width: none; font-size: 11pt; }
  section { content-visibility: visible; break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
}
)css";

}  // namespace kgate::report
