/** Turns the result of a keyword search into a check failure. */
import { truncate } from '../../../lib/text.ts'
import type { HttpSettings } from '../../../monitors/http-schema.ts'
import { createFailure } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'
import type { KeywordSearchResult } from './keyword-search.ts'

const MAX_QUOTE_LENGTH = 100

export function findKeywordFailure(
  { keyword, keyword_absent: forbiddenKeyword }: HttpSettings,
  result: KeywordSearchResult,
): CheckFailure | null {
  if (result === 'undecodable') return createFailure('keyword', 'Response body could not be decompressed')
  if ((keyword !== null) === (result === 'found')) return null
  if (keyword === null) return createFailure('keyword', `Response contains ${quote(forbiddenKeyword ?? '')}`)
  const searchedPart = result === 'truncated' ? 'The first MiB of the response' : 'Response'
  return createFailure('keyword', `${searchedPart} does not contain ${quote(keyword)}`)
}

function quote(text: string): string {
  return text.length > MAX_QUOTE_LENGTH ? `"${truncate(text, MAX_QUOTE_LENGTH)}…"` : `"${text}"`
}
