/** The styles and the script of status pages. Both are part of every page, allowed by their hashes in the Content-Security-Policy. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../lib/package-folder.ts'
import { deriveAccentColors } from '../../shared/color-contrast.ts'
import { buildFontCss } from './fonts.ts'

const folder = join(packageFolder, 'status-page')

interface InlineCode {
  code: string
  /** For example `'sha256-…'`, with the quotes. */
  hash: string
}

let pageScript: InlineCode | undefined
let pageStyle: InlineCode | undefined
/** There are only three: for the own host, for custom domains, and for the pages below the path of a status page. */
const fontStyles = new Map<string, InlineCode>()

function toInlineCode(code: string): InlineCode {
  return { code, hash: `'sha256-${createHash('sha256').update(code).digest('base64')}'` }
}

const read = (name: string) => toInlineCode(readFileSync(join(folder, name), 'utf8'))

export function getPageScript(): InlineCode {
  pageScript ??= read('page.js')
  return pageScript
}

export function getPageStyle(): InlineCode {
  pageStyle ??= read('page.min.css')
  return pageStyle
}

/** A style sheet that loads the typeface. `fontBase` is what the URLs of fonts begin with. */
export function getFontStyle(fontBase: string): InlineCode {
  const style = fontStyles.get(fontBase) ?? toInlineCode(buildFontCss(fontBase))
  fontStyles.set(fontBase, style)
  return style
}

/** A style sheet with the colors that depend on the accent color. Without it, the bell of the mark has a color of its own. */
export function createAccentStyle(accentColor: string): InlineCode {
  const [light, dark] = [deriveAccentColors(accentColor, 'light'), deriveAccentColors(accentColor, 'dark')]
  const mix = (name: keyof typeof light) => `light-dark(${light[name]},${dark[name]})`
  return toInlineCode(
    `:root{--accent:${mix('text')};--accent-fill:${mix('fill')};--on-accent:${mix('onFill')};--focus:var(--accent);--chart:var(--accent);--bell:var(--accent-fill)}`,
  )
}
