/** Finds the icons that an HTML page names in its head. */
import { readHtml } from '../lib/html-elements.ts'

interface IconLink {
  url: string
  rank: number
}

/** Real pages have fewer. The limit bounds the time that a malicious page takes. */
const MAX_ICON_LINKS = 200

/** Reads `<link rel="icon" href="…">` elements. Returns absolute http(s) URLs, the best icon for a small tile first. */
export function findIconLinks(html: string, pageUrl: string): string[] {
  const links: IconLink[] = []
  for (const { name, attributes } of readHtml(html).elements) {
    if (name !== 'link' || links.length >= MAX_ICON_LINKS) continue
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
    const isTouchIcon = relations.includes('apple-touch-icon')
    if (!relations.includes('icon') && !isTouchIcon) continue
    // Without the fallback, a link without `href` would resolve to the page itself.
    const url = URL.parse(attributes.get('href') || 'none:', pageUrl)
    if (url === null || !/^https?:$/.test(url.protocol)) continue
    links.push({ url: url.href, rank: rankIcon(attributes, url, isTouchIcon) })
  }
  return links.sort((a, b) => b.rank - a.rank).map(({ url }) => url)
}

/** Prefers icons from 32 to 256 pixels: sharp on every screen, and not too many bytes. */
function rankIcon(attributes: ReadonlyMap<string, string>, { pathname }: URL, isTouchIcon: boolean): number {
  const size = Number(/^(\d+)x\d+/i.exec(attributes.get('sizes') ?? '')?.[1] ?? 0)
  if (size >= 32 && size <= 256) return 5 - size / 1_000
  if (attributes.get('type') === 'image/svg+xml' || pathname.endsWith('.svg')) return 4
  if (isTouchIcon) return 3
  return size === 0 ? 2 : 1
}
