/** Text in XML documents: feeds and SVG images. */
import { escapeHtml } from './text.ts'

/** Characters that an XML 1.0 document must not contain, not even escaped: control characters and unpaired surrogates. */
const forbiddenInXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/** Escapes text for use in XML elements and attributes. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(forbiddenInXml, '\u{fffd}'))
}
