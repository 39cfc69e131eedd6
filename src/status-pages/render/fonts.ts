/**
 * The typeface of the application, Inter, for status pages. One variable file for each script; a browser loads only the files that the
 * characters on the page need. The files are copies of those in `@fontsource-variable/inter`, so that a server without the build of the
 * application has them, too.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../lib/package-folder.ts'

/**
 * The ranges are those of `web/styles/fonts.css`. The first file has none: browsers use a later file for the characters in its range, and
 * the first one for all others.
 */
const fontRanges = {
  'inter-latin': undefined,
  'inter-latin-ext':
    'U+100-130,U+132-151,U+154-2BA,U+2BD-2C5,U+2C7-2CC,U+2CE-2D7,U+2DD-2FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  'inter-cyrillic': 'U+301,U+400-45F,U+490-491,U+4B0-4B1,U+2116',
  'inter-greek': 'U+370-377,U+37A-37F,U+384-38A,U+38C,U+38E-3A1,U+3A3-3FF',
} as const

export interface StatusPageFont {
  /** Contains a hash of the content, so that browsers can keep the file forever. No slug contains a dot. */
  fileName: string
  range: string | undefined
  content: Buffer
}

let fonts: readonly StatusPageFont[] | undefined

export function getFonts(): readonly StatusPageFont[] {
  fonts ??= Object.entries(fontRanges).map(([name, range]) => {
    const content = readFileSync(join(packageFolder, 'status-page', 'fonts', `${name}.woff2`))
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 10)
    return { fileName: `${name}-${digest}.woff2`, range, content }
  })
  return fonts
}

/** Returns what the URLs of fonts begin with, from the path of a page: `/status/` for `/status/example`. */
export const toFontBase = (pagePath: string) => pagePath.slice(0, pagePath.lastIndexOf('/') + 1)

/**
 * If Inter doesn't load within 100 ms, a visitor sees the page in a local font, and in Inter from the next page on: swapping the font later
 * would move the text where no local font has the same width. Where there is one, it has the size of Inter, as in `web/styles/fonts.css`.
 */
const fallbackFace =
  '@font-face{font-family:InterFallback;src:local(Arial),local(Liberation Sans),local(Helvetica Neue);size-adjust:107.4%;ascent-override:90.2%;descent-override:22.5%;line-gap-override:0%}'

export function buildFontCss(fontBase: string): string {
  const faces = getFonts().map(
    ({ fileName, range }) =>
      `@font-face{font-family:Inter;font-weight:100 900;font-display:optional;src:url(${fontBase}${fileName})${range === undefined ? '' : `;unicode-range:${range}`}}`,
  )
  return faces.join('') + fallbackFace
}
