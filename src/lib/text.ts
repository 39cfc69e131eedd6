/** Small transformations of strings. */

/** Maps strings that differ only in case to one spelling. Both lower-case forms of the Greek Σ become σ. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}

/** Truncates without splitting a surrogate pair. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = text.slice(0, maxLength)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

/**
 * Makes untrusted text, such as names of pages or responses of servers, safe to show. The result has no line breaks,
 * and no invisible characters, which could, for example, reverse the text after them.
 */
export function toVisibleLine(text: string, maxLength: number): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '\u{fffd}')
    .trim()
  return line.length > maxLength ? `${truncate(line, maxLength)}…` : line
}

/**
 * Makes text with untrusted parts safe to show in a terminal. Keeps its lines, but replaces control characters and
 * invisible characters, so that the text can't control the terminal.
 */
export function toVisibleText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, ' ').replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '\u{fffd}')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for use in HTML elements and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const HINT_LENGTH = 4
/** The hint of a shorter secret would reveal most of it. */
const MIN_LENGTH_FOR_HINT = 8

/** Returns the end of a secret, so that its owner can recognize it. The hint of a short secret is empty. */
export function createSecretHint(secret: string): string {
  const characters = [...secret]
  return characters.length < MIN_LENGTH_FOR_HINT ? '' : characters.slice(-HINT_LENGTH).join('')
}
