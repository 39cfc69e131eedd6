/**
 * The style sheet and the icon of the HTML pages that the server renders itself. They are part of the HTML, so that these pages
 * work even if the application isn't built. Colors and sizes are the same as in the application.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FONT_PATH, getInterFonts } from '../lib/inter-fonts.ts'
import { packageFolder } from '../lib/package-folder.ts'

const readWebFile = (...path: string[]) => readFileSync(join(packageFolder, 'web', ...path), 'utf8')

const minify = (css: string) => css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s+/g, ' ')

export const iconUrl = `data:image/svg+xml;base64,${Buffer.from(readWebFile('public', 'icon.svg')).toString('base64')}`

/** Inter for Latin characters, as part of the style sheet. Because nothing is loaded, the text doesn't move. */
export function buildInlineFontStyle(): string {
  inlineFontStyle ??= `@font-face{font-family:Inter;font-weight:100 900;src:url(data:font/woff2;base64,${getInterFonts()[0]?.content.toString('base64')})format("woff2")}`
  return inlineFontStyle
}

let inlineFontStyle: string | undefined

/**
 * Inter for Latin characters, as a file. If it doesn't load within 100 ms, a visitor sees a local font, so the text doesn't move. The URL is
 * relative to the path of the page, because the browser's URL can begin with the path prefix of the public URL.
 */
export function buildLinkedFontStyle(pagePath: string): string {
  const folders = '../'.repeat(Math.max(0, (pagePath.split('?', 1)[0] ?? '').split('/').length - 2))
  const url = `${folders || './'}${FONT_PATH.slice(1)}${getInterFonts()[0]?.fileName}`
  return `@font-face{font-family:Inter;font-weight:100 900;font-display:optional;src:url(${url})format("woff2")}`
}

export const tokenStyle = minify(readWebFile('styles', 'tokens.css'))

export const pageStyle = minify(`
${readWebFile('styles', 'tokens.css')}
html { font: 0.875rem/1.5 var(--sans); background: var(--background); color: var(--text); -webkit-text-size-adjust: 100% }
* { box-sizing: border-box }
body { display: grid; align-content: center; gap: 1.25rem; min-height: 86vh; min-height: 86dvh; margin: 0; padding: 2rem 1rem }
header { display: flex; justify-content: center; align-items: center; gap: .6rem; font-size: 1.125rem; font-weight: 680; letter-spacing: -.02em }
header img { display: block }
main { width: 100%; max-width: 27rem; margin: 0 auto; padding: 1.75rem; background: var(--surface);
  border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow) }
h1 { margin: 0 0 .4rem; font-size: 1.5rem; font-weight: 650; line-height: 1.25; letter-spacing: -.022em; text-wrap: balance; overflow-wrap: anywhere }
p { margin: 0; color: var(--muted); text-wrap: pretty; overflow-wrap: anywhere }
p + p { margin-top: .75rem }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .2em }
code { padding: .05em .35em; border-radius: .3rem; background: var(--raised); color: var(--text); font-family: var(--mono); font-size: .9em }
form { display: grid; gap: .4rem; margin-top: 1.25rem }
label { font-size: .9375rem; font-weight: 580 }
input { width: 100%; min-height: 2.5rem; padding: .35rem .7rem; border: 1px solid var(--line-strong); border-radius: var(--radius-small);
  background: var(--surface); box-shadow: var(--shadow-control); color: inherit; font: inherit }
input:focus-visible { outline: 2px solid transparent; border-color: var(--focus); box-shadow: 0 0 0 3px color-mix(in srgb, var(--focus), transparent 72%) }
input + label, .secret + label { margin-top: .85rem }
.secret { position: relative; display: block }
.secret input { padding-right: 4.25rem }
.secret button { position: absolute; inset: 1px 1px 1px auto; width: 3.75rem; border: 0; border-radius: var(--radius-small); background: none;
  color: var(--accent); font: inherit; font-weight: 550; cursor: pointer }
.secret button[hidden] { display: none }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
form > button { width: 100%; min-height: 2.5rem; margin-top: .85rem; padding: .3rem .85rem; border: 1px solid transparent; border-radius: var(--radius-small);
  background: var(--accent-background); box-shadow: var(--shadow-control); color: var(--on-accent); font: inherit; font-weight: 550; cursor: pointer;
  transition: background var(--quick) }
form > button:hover { background: var(--accent-background-strong) }
button:focus-visible, a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: var(--radius-small) }
[role=alert] { margin-top: 1rem; padding: .6rem .85rem; border-radius: var(--radius-small); background: var(--down-soft); color: var(--down); font-weight: 550 }
small { color: var(--muted); font-size: .875rem }
@media (max-width: 30rem) { body { align-content: start; padding-top: 3rem } main { padding: 1.25rem } input { font-size: 16px } }`)
