/** The typeface of status pages. A browser loads only the files that the characters on the page need. */
import { getInterFonts } from '../../lib/inter-fonts.ts'

/** Returns what the URLs of fonts begin with, from the path of a page: `/status/` for `/status/example`. */
export const toFontBase = (pagePath: string) => pagePath.slice(0, pagePath.lastIndexOf('/') + 1)

/**
 * If Inter doesn't load within 100 ms, a visitor sees the page in a local font, and in Inter from the next page on: swapping the font later
 * would move the text where no local font has the same width. Where there is one, it has the size of Inter, as in `web/styles/fonts.css`.
 */
const fallbackFace =
  '@font-face{font-family:InterFallback;src:local(Arial),local(Liberation Sans),local(Helvetica Neue);size-adjust:107.4%;ascent-override:90.2%;descent-override:22.5%;line-gap-override:0%}'

export function buildFontCss(fontBase: string): string {
  const faces = getInterFonts().map(
    ({ fileName, range }) =>
      `@font-face{font-family:Inter;font-weight:100 900;font-display:optional;src:url(${fontBase}${fileName})${range === undefined ? '' : `;unicode-range:${range}`}}`,
  )
  return faces.join('') + fallbackFace
}
