/** The output that a job sends with its beats. */
import { createTokenHint } from '../monitors/record.ts'

/** Shorter parts of the token stay in the output, because nobody can guess the rest of the token from them. */
const MIN_HIDDEN_LENGTH = 8

/**
 * Returns the output of a job as it is stored: without null characters, which PostgreSQL can't store, and without the token. A job that
 * logs its requests, as `curl -v` does, sends its own URL, and more people can read the output than may send beats.
 */
export function toStoredOutput(body: string | undefined, token: string): string | null {
  const text = body?.replaceAll('\0', '') ?? ''
  // No heartbeat has a token that is shorter than this. The hint of such a token could be longer than the token itself.
  const output = token.length < MIN_HIDDEN_LENGTH ? text : text.replaceAll(token, createTokenHint(token))
  // Long output is cut off, maybe in the middle of the token. So hide a part of the token at the end of the output,
  // too.
  for (let length = token.length - 1; length >= MIN_HIDDEN_LENGTH; length--) {
    if (output.endsWith(token.slice(0, length))) return `${output.slice(0, -length)}…`
  }
  return output || null
}
