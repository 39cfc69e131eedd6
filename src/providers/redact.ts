/**
 * Takes secrets out of what somebody else said: services like to repeat what they were sent, whole or in part, decoded or
 * encoded. So it is not looked for as a whole: every run of characters that also stands in the secret is cut out.
 */

/** Shorter runs would be found in innocent words: "service" is part of most webhooks. */
const RUN = 8
/** A whole secret, or a piece of one with a digit in it, is known by less where it stands alone. */
const WORD = 4

/** Names are cut out as a whole alone: the user of a mail server shares its domain with everybody there. */
export function redact(text: string, secrets: readonly string[], names: readonly string[] = []): string {
  const parts = secrets.map(secretPartOf)
  const words = [...names, ...parts.flatMap(wordsOf)].filter(({ length }) => length >= WORD)
  const isSecret = new Uint8Array(text.length)
  markRuns(isSecret, text, new Set(parts.flatMap(formsOf).flatMap(runsOf)))
  markWords(isSecret, text, words)
  return withoutMarked(isSecret, text)
}

/** A URL is secret from its path on: its host is what people know it by. */
function secretPartOf(secret: string): string {
  const url = URL.parse(secret)
  return url !== null && /^https?:$/.test(url.protocol) ? url.pathname + url.search + url.hash : secret
}

function wordsOf(part: string): string[] {
  const pieces = part.split(/[^\p{L}\p{N}]+/u).filter((piece) => /\d/.test(piece))
  return part.length < RUN ? [part, ...pieces] : pieces
}

function markWords(isSecret: Uint8Array, text: string, words: readonly string[]): void {
  for (const word of words) {
    const alone = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}(?![\\p{L}\\p{N}])`, 'giu')
    for (const found of text.matchAll(alone)) isSecret.fill(1, found.index, found.index + found[0].length)
  }
}

/** As it is, as it stands in a URL or in JSON, in hex, and in base64 wherever it begins in there. */
function formsOf(part: string): string[] {
  const base64 = [0, 1, 2].map((offset) => Buffer.from('\0'.repeat(offset) + part).toString('base64'))
  const hex = Buffer.from(part).toString('hex')
  const escaped = JSON.stringify(part).slice(1, -1)
  const collapsed = part.replace(/\s+/g, ' ')
  return [part, decoded(part), encodeURI(part), encodeURIComponent(part), escaped, collapsed, hex, ...base64]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Letters of ASCII alone: others may become longer. */
const small = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function runsOf(form: string): string[] {
  const length = Math.max(0, form.length - RUN + 1)
  return Array.from({ length }, (_, start) => small(form.slice(start, start + RUN)))
}

function markRuns(isSecret: Uint8Array, text: string, runs: ReadonlySet<string>): void {
  const searched = small(text)
  for (let at = 0; at + RUN <= text.length; at++) {
    if (runs.has(searched.slice(at, at + RUN))) isSecret.fill(1, at, at + RUN)
  }
}

function withoutMarked(isSecret: Uint8Array, text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    if (isSecret[at] === 0) return text[at]
    return isSecret[at - 1] === 1 ? '' : '…'
  }).join('')
}
