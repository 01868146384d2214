/** The page's only style sheet; light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2430, #e4e8ee); --soft: light-dark(#5c6675, #98a2b3);
  --ground: light-dark(#fbfbf9, #14181f); --card: light-dark(#fff, #1c222c); --edge: light-dark(#e2e4e8, #2d3643);
  --own: light-dark(#1c7a4a, #58c48d); --other: light-dark(#a86400, #e0a34a); --bad: light-dark(#b3261e, #f0857d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 .75rem; }
code { font: .9em ui-monospace, monospace; }
.lead, .legend, .foot, small, .time { color: var(--soft); }
.acts { padding-left: 1.4rem; }
.acts li { margin-bottom: .75rem; }
.acts p { margin: .15rem 0 0; }
.time { font-size: .85rem; }
.history { display: flex; background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  padding: .5rem 1rem; overflow-x: auto; }
.history svg { flex: none; }
.history ul { list-style: none; margin: 0; padding: 0 0 0 .75rem; min-width: 0; }
.history li { height: var(--row); display: flex; flex-direction: column; justify-content: center; white-space: nowrap; }
.history small { overflow: hidden; text-overflow: ellipsis; }
.line { stroke: var(--edge); stroke-width: 3; fill: none; }
.off { stroke: var(--bad); stroke-width: 2; fill: none; stroke-dasharray: 4 4; }
.cross { stroke: var(--bad); stroke-width: 3; fill: none; stroke-linecap: round; }
circle.confirm, circle.supersede { fill: var(--own); }
circle.start { fill: var(--card); stroke: var(--soft); stroke-width: 2; }
path.foreign { fill: var(--other); }
li.confirm b, li.supersede b { color: var(--own); }
li.foreign b { color: var(--other); }
li.refused b { color: var(--bad); }
li.start { color: var(--soft); }
blockquote { margin: .25rem 0 1rem; padding: .75rem 1rem; background: var(--card); border-left: 3px solid var(--bad);
  border-radius: 4px; overflow-wrap: anywhere; }
`;
