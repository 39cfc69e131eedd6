/** Finds the URLs in a text that a person typed. */

/** Punctuation at the end of a URL usually belongs to the sentence. */
const urlPattern = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}]/g

export interface TextPart {
  text: string
  isLink: boolean
}

export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(urlPattern)) {
    const [url] = match
    if (!URL.canParse(url)) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isLink: false })
    parts.push({ text: url, isLink: true })
    end = match.index + url.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isLink: false })
  return parts
}
