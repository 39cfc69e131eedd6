/** Small transformations of strings. */

/** Maps strings that differ only in case to one spelling. Both lower-case forms of the Greek Σ become σ. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

/** Never ends in half of a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** For the text and attributes of HTML elements. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const HINT_LENGTH = 4
/** Four characters of a shorter secret would be most of it. */
const MIN_LENGTH_FOR_HINT = 8

/** The end of a secret, so that its owner can recognize it. Empty for a short secret. */
export function secretHint(secret: string): string {
  const characters = [...secret]
  return characters.length < MIN_LENGTH_FOR_HINT ? '' : characters.slice(-HINT_LENGTH).join('')
}
