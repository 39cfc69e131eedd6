/** Ranks the items of the palette for a search text. Takes a few milliseconds for 11,000 items. */
import { foldText, type MatchRange, MIN_SUBSTRING_SCORE, matchTerm, mergeRanges, type TextMatch } from './fuzzy.ts'

export interface Searchable {
  /** The id stays the same across sessions, because the browser stores the ids of recently used items. */
  id: string
  label: string
  /** Further text that is shown, such as a URL. */
  detail?: string | undefined
  /** Further words that find the item. */
  keywords?: string
}

/** An item with its texts prepared for searching. */
export interface SearchEntry<T extends Searchable> {
  item: T
  label: string
  others: readonly string[]
}

export interface SearchResult<T extends Searchable> {
  item: T
  score: number
  /** The matched parts of the label. */
  ranges: readonly MatchRange[]
}

export function createSearchEntries<T extends Searchable>(items: readonly T[]): SearchEntry<T>[] {
  return items.map((item) => ({
    item,
    label: foldText(item.label),
    others: [item.detail, item.keywords].filter((text) => text !== undefined).map(foldText),
  }))
}

/** A match outside of the label ranks below the same kind of match in the label. */
const OTHER_TEXT_PENALTY = 500
/** This is higher than the score of any match, so that recently used items come first. */
const RECENT_SCORE = 10_000

/**
 * The items that contain every term of the query, best first. Recently used items come first, unless only scattered letters
 * match.
 */
export function searchItems<T extends Searchable>(
  entries: readonly SearchEntry<T>[],
  query: string,
  recentIds: readonly string[],
): SearchResult<T>[] {
  const phrase = foldText(query.trim())
  const terms = phrase.split(/\s+/)
  const recentRanks = new Map(recentIds.map((id, index) => [id, recentIds.length - index]))
  const results: SearchResult<T>[] = []
  for (const entry of entries) {
    const phraseMatch = terms.length > 1 ? matchTerm(entry.label, phrase, false) : undefined
    const match = phraseMatch ?? matchTerms(entry, terms)
    if (match === undefined) continue
    const recentRank = match.score < MIN_SUBSTRING_SCORE ? undefined : recentRanks.get(entry.item.id)
    const recentScore = recentRank === undefined ? 0 : RECENT_SCORE * recentRank
    results.push({ item: entry.item, score: match.score + recentScore, ranges: match.ranges })
  }
  return results.sort((a, b) => b.score - a.score)
}

/** The terms can be in any order, each in the label or in another text. */
function matchTerms({ label, others }: SearchEntry<Searchable>, terms: readonly string[]): TextMatch | undefined {
  let score = Number.POSITIVE_INFINITY
  const ranges: MatchRange[] = []
  for (const term of terms) {
    const inLabel = matchTerm(label, term, false)
    const inOthers = inLabel === undefined ? findBestScore(others, term) : undefined
    const match = inLabel ?? (inOthers === undefined ? matchTerm(label, term, true) : undefined)
    const termScore = match?.score ?? inOthers
    if (termScore === undefined) return undefined
    score = Math.min(score, termScore)
    ranges.push(...(match?.ranges ?? []))
  }
  return { score, ranges: mergeRanges(ranges) }
}

function findBestScore(texts: readonly string[], term: string): number | undefined {
  let best: number | undefined
  for (const text of texts) {
    const score = matchTerm(text, term, false)?.score
    if (score !== undefined && (best === undefined || score > best)) best = score
  }
  return best === undefined ? undefined : best - OTHER_TEXT_PENALTY
}

/**
 * Returns the index of the result that Enter opens; -1 for none. If nothing was found, the palette lists only
 * suggestions, and Enter must not run one that the user hasn't moved to.
 */
export function findActiveIndex(chosenIndex: number | undefined, count: number, isEmpty: boolean): number {
  return chosenIndex === undefined ? (isEmpty ? -1 : 0) : Math.min(chosenIndex, count - 1)
}
