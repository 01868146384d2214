/** The page's only style sheet; light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2430, #e4e8ee); --soft: light-dark(#5c6675, #98a2b3);
  --ground: light-dark(#fbfbf9, #14181f); --card: light-dark(#fff, #1c222c); --edge: light-dark(#e2e4e8, #2d3643);
  --own: light-dark(#1c7a4a, #58c48d); --other: light-dark(#a86400, #e0a34a); --bad: light-dark(#b3261e, #f0857d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
p, small { color: var(--soft); }
.verdict { background: var(--card); border: 1px solid var(--edge); border-left: 4px solid var(--own);
  border-radius: 6px; padding: .6rem .9rem; margin: 0 0 .6rem; overflow-wrap: anywhere; }
.verdict.refused { border-left-color: var(--bad); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--edge); }
tr:last-child td { border-bottom: 0; }
th { color: var(--soft); font-weight: 600; }
td.kind { white-space: nowrap; font-weight: 600; }
td.id code { overflow-wrap: normal; }
td.time { white-space: nowrap; color: var(--soft); }
td.what { min-width: 18rem; overflow-wrap: anywhere; }
svg { vertical-align: -1px; margin-right: .45rem; }
.confirm, .supersede { color: var(--own); fill: var(--own); }
.foreign { color: var(--other); fill: var(--other); }
.try, .malformed, .race { color: var(--bad); fill: var(--bad); }
`;
