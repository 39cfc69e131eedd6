/**
 * Removes secrets from responses of other services, which often repeat all or part of a request, encoded or decoded. So
 * `redact` removes every sequence of characters that is also part of a secret, not just the whole secret.
 */

/** Shorter sequences would match ordinary words: most webhook URLs contain "service". */
const SEQUENCE_LENGTH = 8
/**
 * Three kinds of text are removed where they appear as separate words: account names, secrets that are shorter than a sequence,
 * and words of a secret that contain a digit. This is the minimum length for all three.
 */
const MIN_WORD_LENGTH = 4

/**
 * `accountNames` are removed only as a whole, because their parts are not secret: belfry@example.com contains a domain.
 */
export function redact(text: string, secrets: readonly string[], accountNames: readonly string[] = []): string {
  const secretsWithoutHost = secrets.map(stripHost)
  const words = [...accountNames, ...secretsWithoutHost.flatMap(listWords)].filter(
    ({ length }) => length >= MIN_WORD_LENGTH,
  )
  const secretMask = new Uint8Array(text.length)
  markSequences(secretMask, text, new Set(secretsWithoutHost.flatMap(listEncodings).flatMap(listSequences)))
  markWords(secretMask, text, words)
  return replaceMarked(secretMask, text)
}

/** The host of a webhook URL is not secret, and it shows which service failed. */
function stripHost(secret: string): string {
  const url = URL.parse(secret)
  return url !== null && /^https?:$/.test(url.protocol) ? url.pathname + url.search + url.hash : secret
}

function listWords(secret: string): string[] {
  const wordsWithDigit = secret.split(/[^\p{L}\p{N}]+/u).filter((word) => /\d/.test(word))
  return secret.length < SEQUENCE_LENGTH ? [secret, ...wordsWithDigit] : wordsWithDigit
}

function markWords(secretMask: Uint8Array, text: string, words: readonly string[]): void {
  for (const word of words) {
    const wholeWord = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}(?![\\p{L}\\p{N}])`, 'giu')
    for (const match of text.matchAll(wholeWord)) secretMask.fill(1, match.index, match.index + match[0].length)
  }
}

/**
 * Returns the secret unchanged, decoded from a URL, encoded for URLs and JSON, with collapsed spaces, in hex, and in
 * base64 at each of the three possible offsets.
 */
function listEncodings(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) => Buffer.from('\0'.repeat(offset) + secret).toString('base64'))
  const hex = Buffer.from(secret).toString('hex')
  const escaped = JSON.stringify(secret).slice(1, -1)
  const collapsed = secret.replace(/\s+/g, ' ')
  return [
    secret,
    decodeUriOrKeep(secret),
    encodeURI(secret),
    encodeURIComponent(secret),
    escaped,
    collapsed,
    hex,
    ...base64,
  ]
}

function decodeUriOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Converts only ASCII letters: some other letters have a different length in lower case, which would shift positions.
 */
const toLowerCaseAscii = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

function listSequences(encoded: string): string[] {
  const length = Math.max(0, encoded.length - SEQUENCE_LENGTH + 1)
  return Array.from({ length }, (_, start) => toLowerCaseAscii(encoded.slice(start, start + SEQUENCE_LENGTH)))
}

function markSequences(secretMask: Uint8Array, text: string, sequences: ReadonlySet<string>): void {
  const lowerCaseText = toLowerCaseAscii(text)
  for (let at = 0; at + SEQUENCE_LENGTH <= text.length; at++) {
    if (sequences.has(lowerCaseText.slice(at, at + SEQUENCE_LENGTH))) secretMask.fill(1, at, at + SEQUENCE_LENGTH)
  }
}

function replaceMarked(secretMask: Uint8Array, text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    if (secretMask[at] === 0) return text[at]
    return secretMask[at - 1] === 1 ? '' : '…'
  }).join('')
}
