/**
 * Takes secrets out of what somebody else said: services like to repeat what they were sent, whole or in part, decoded or
 * encoded. So it is not looked for as a whole: every run of characters that also stands in the secret is cut out.
 */

/** Shorter runs would be found in innocent words: "service" is part of most webhooks. */
const RUN = 8
/** A whole secret, or a piece of one with a digit in it, is known by less. */
const PIECE = 4

export function redact(text: string, secrets: readonly string[]): string {
  const parts = secrets.map(secretPartOf).filter(({ length }) => length >= PIECE)
  return cutOut(text, new Set([...parts.flatMap(formsOf).flatMap(runsOf), ...parts.flatMap(piecesOf)]))
}

/** A URL is secret from its path on: its host is what people know it by. */
function secretPartOf(secret: string): string {
  const url = URL.parse(secret)
  return url !== null && /^https?:$/.test(url.protocol) ? url.pathname + url.search + url.hash : secret
}

/** As it is, as it stands in a URL or in JSON, in hex, and in base64 wherever it begins in there. */
function formsOf(part: string): string[] {
  const base64 = [0, 1, 2].map((offset) => Buffer.from('\0'.repeat(offset) + part).toString('base64'))
  const hex = Buffer.from(part).toString('hex')
  const escaped = JSON.stringify(part).slice(1, -1)
  return [
    part,
    decoded(part),
    encodeURI(part),
    encodeURIComponent(part),
    escaped,
    part.replace(/\s+/g, ' '),
    hex,
    ...base64,
  ]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function runsOf(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - RUN + 1) }, (_, start) => form.slice(start, start + RUN))
}

function piecesOf(part: string): string[] {
  const pieces = part.split(/[^\p{L}\p{N}]+/u).filter((piece) => piece.length > PIECE && /\d/.test(piece))
  return part.length < RUN ? [part, ...pieces] : pieces
}

/** Letters of ASCII alone: others may become longer. */
const small = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function cutOut(text: string, needles: ReadonlySet<string>): string {
  const wanted = new Set([...needles].map(small))
  const lengths = new Set([...wanted].map(({ length }) => length))
  const searched = small(text)
  const isSecret = new Uint8Array(text.length)
  for (const length of lengths) {
    for (let at = 0; at + length <= text.length; at++) {
      if (wanted.has(searched.slice(at, at + length))) isSecret.fill(1, at, at + length)
    }
  }
  return Array.from({ length: text.length }, (_, at) => {
    if (isSecret[at] === 0) return text[at]
    return isSecret[at - 1] === 1 ? '' : '…'
  }).join('')
}
