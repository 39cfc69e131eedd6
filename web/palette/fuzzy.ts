/** Finds a search term in a text: at its beginning, at the beginning of a word, inside a word, or as scattered letters. */

/** Start and end of a part of the text. */
export type MatchRange = readonly [start: number, end: number]

export interface TextMatch {
  /** A better kind of match has a higher score, whatever the position and length. */
  score: number
  ranges: readonly MatchRange[]
}

/** The kinds of matches are this far apart, so that position and length decide only between matches of one kind. */
const KIND_SCORE = 1_000
export const MIN_SUBSTRING_SCORE = KIND_SCORE

/**
 * Converts a text to lower case without accents. The result has the same length as the text, so that positions in both
 * are the same.
 */
export function foldText(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase()
  return text.replace(/[^\0-\x7f]/g, foldCharacter).toLowerCase()
}

function foldCharacter(character: string): string {
  const foldedCharacter = (character.normalize('NFD')[0] ?? character).toLowerCase()
  return foldedCharacter.length === 1 ? foldedCharacter : character
}

/** The regular expression for letters of all scripts is slow, so ASCII characters have a list of their own. */
const isAsciiWordCharacter = Array.from({ length: 128 }, (_, code) => /[a-z\d]/.test(String.fromCharCode(code)))

function isWordStart(text: string, index: number): boolean {
  if (index === 0) return true
  const code = text.charCodeAt(index - 1)
  return code < 128 ? !isAsciiWordCharacter[code] : !/[\p{L}\p{N}]/u.test(text[index - 1] ?? '')
}

/** Both arguments must be folded. Scattered letters are found only if `allowsGaps`. */
export function matchTerm(text: string, term: string, allowsGaps: boolean): TextMatch | undefined {
  const first = text.indexOf(term)
  if (first === -1) return allowsGaps ? matchLetters(text, term) : undefined
  // A later occurrence at the beginning of a word is better than an earlier one inside a word.
  let index = first
  while (index !== -1 && !isWordStart(text, index)) index = text.indexOf(term, index + 1)
  const start = index === -1 ? first : index
  const kind = start === 0 ? 3 : index === -1 ? 1 : 2
  return { score: kind * KIND_SCORE + scorePosition(text, start), ranges: [[start, start + term.length]] }
}

/** Returns a score from 0 to 999, which is higher for an early position and for a short text. */
function scorePosition(text: string, start: number): number {
  return 999 - Math.min(999, start * 4 + text.length)
}

/** Finds the letters of the term in this order, the first one at the beginning of a word: `fp` matches “Front page”. */
function matchLetters(text: string, term: string): TextMatch | undefined {
  if (term.length < 2) return undefined
  let start = text.indexOf(term[0] ?? '')
  while (start !== -1 && !isWordStart(text, start)) start = text.indexOf(term[0] ?? '', start + 1)
  if (start === -1) return undefined
  const positions = [start]
  for (const letter of term.slice(1)) {
    const position = text.indexOf(letter, (positions.at(-1) ?? 0) + 1)
    if (position === -1) return undefined
    positions.push(position)
  }
  const gaps = (positions.at(-1) ?? 0) - start + 1 - term.length
  const score = Math.max(0, scorePosition(text, start) - gaps * 20)
  return { score, ranges: mergeRanges(positions.map((position) => [position, position + 1])) }
}

/** Sorts ranges, and joins those that touch or overlap. */
export function mergeRanges(ranges: readonly MatchRange[]): MatchRange[] {
  const mergedRanges: [number, number][] = []
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = mergedRanges.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else mergedRanges.push([start, end])
  }
  return mergedRanges
}
