/** How the page looks. Every colour of text has at least 4.5:1 on what it stands on, and bars 3:1, light and dark. */
export const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --ground: #f4f6fa; --card: #fff; --text: #131a2b; --quiet: #55607a;
  --line: #d8deea; --link: #1d4ed8; --bar: #dbe7ff; --views: #6f90e3; --visitors: #1e3a8a; --better: #0f6b36; --worse: #b42318 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1220; --card: #161d2f; --text: #e8ecf6; --quiet: #a3adc5; --line: #2b3550; --link: #93b4ff;
    --bar: #24345f; --views: #4a67b5; --visitors: #a9c3ff; --better: #6bd394; --worse: #ff9b8e } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 72rem; background: var(--ground); color: var(--text) }
h1, h2, p, dl, dd, ol, ul, figure { margin: 0; padding: 0 }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { font-size: 1rem }
a { color: var(--link) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .3rem }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.quiet { color: var(--quiet); font-size: .875rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.25rem }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; justify-content: space-between; align-items: start }
.now::before { content: ""; display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; background: var(--better); margin-right: .45rem }
.idle::before { background: var(--line) }
nav { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 1rem 0 }
nav a, nav button, nav input, .filters a { font: inherit; font-size: .9rem; min-height: 2.25rem; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); color: var(--text); text-decoration: none; display: inline-flex; align-items: center; gap: .35rem }
nav a:hover, nav button:hover, .filters a:hover { border-color: var(--link) }
nav [aria-current] { background: var(--link); border-color: var(--link); color: var(--card); font-weight: 600 }
nav form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; font-size: .9rem; margin-left: auto }
nav button { cursor: pointer }
main { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) }
main section > .quiet { margin-top: .4rem; padding-left: .25rem }
.note { border-left: 4px solid var(--link); padding-left: .75rem }
.filters { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none }
.filters a { overflow-wrap: anywhere; max-width: 100% }
.filters a > span:first-child { color: var(--quiet) }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1rem }
.totals dt { color: var(--quiet); font-size: .875rem }
.totals dd { font-size: 1.5rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums }
.totals .change { font-size: .875rem; font-weight: 500; color: var(--quiet) }
.totals .better { color: var(--better) }
.totals .worse { color: var(--worse) }
.chart figcaption { display: flex; gap: 1.25rem; margin-bottom: .75rem; font-size: .875rem }
.key::before { content: ""; display: inline-block; width: .75rem; height: .75rem; border-radius: .2rem; margin-right: .4rem; background: var(--views) }
.key.visitors::before { background: var(--visitors) }
.plot { display: grid; grid-template: 14rem auto / auto minmax(0, 1fr); gap: .3rem .6rem; font-size: .8rem; color: var(--quiet) }
.plot svg { width: 100%; height: 100%; overflow: visible }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin: -.6rem 0 }
.times { grid-column: 2; display: flex; justify-content: space-between }
.grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; fill: none }
.ground { fill: transparent }
.slot:hover .ground { fill: var(--bar) }
.views { fill: var(--views) }
.visitors { fill: var(--visitors) }
details { margin-top: .75rem; font-size: .9rem }
summary { cursor: pointer; color: var(--quiet); width: fit-content }
.scroll { overflow: auto; max-height: 20rem; margin-top: .5rem }
table { border-collapse: collapse; min-width: min(100%, 24rem) }
th, td { padding: .2rem 1rem .2rem 0; text-align: right; font-variant-numeric: tabular-nums }
th:first-child { text-align: left; font-weight: 400 }
thead th, thead th:first-child { font-weight: 600 }
.hint { margin-bottom: .5rem; padding-left: .25rem }
.panels { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); align-items: start }
.panel header { display: flex; justify-content: space-between; align-items: baseline; margin-bottom: .5rem }
.panel header span { color: var(--quiet); font-size: .8rem }
.panel ol { list-style: none; display: grid; gap: .25rem }
.panel li { display: flex; justify-content: space-between; gap: 1rem; font-size: .925rem;
  background: linear-gradient(var(--bar) 0 0) left / var(--share) 100% no-repeat; border-radius: .35rem }
.panel li > span { padding: .25rem .5rem; font-variant-numeric: tabular-nums }
.panel li a { flex: 1; min-width: 0; padding: .25rem .5rem; color: inherit; text-decoration: none; border-radius: .35rem }
.panel li a bdi { text-decoration: underline dotted var(--quiet) 1px; text-underline-offset: .2em }
.panel li a:hover bdi, .panel li a:focus-visible bdi { text-decoration: underline solid var(--link) 2px }
.panel bdi { overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); padding: .75rem 1rem; border-radius: .5rem; margin: .75rem 0 0 }
footer { margin-top: 1.5rem }
@media (max-width: 40rem) { nav { gap: .35rem } nav a { padding: .3rem .5rem; font-size: .85rem } nav form { margin: .35rem 0 0; align-items: end; gap: .35rem }
  nav label { display: grid } nav input { padding: .3rem .4rem } .totals { grid-template-columns: 1fr 1fr } .plot { grid-template-rows: 11rem auto } }`
