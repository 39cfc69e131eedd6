/** Turns the result of a keyword search into a check failure, or into a note on a successful check. */
import type { HttpSettings } from '../../../monitors/http-schema.ts'
import { createFailure, quote } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'

interface KeywordSearchResult {
  isFound: boolean
  /** Whether only the beginning of the body was searched. */
  isTruncated: boolean
}

export function findKeywordFailure(
  { keyword, keyword_absent: forbiddenKeyword }: HttpSettings,
  { isFound, isTruncated }: KeywordSearchResult,
): CheckFailure | null {
  if (forbiddenKeyword !== null && isFound) {
    return createFailure('keyword', `Response contains ${quote(forbiddenKeyword)}`)
  }
  if (keyword === null || isFound) return null
  const searchedPart = isTruncated ? 'The first MiB of the response' : 'Response'
  return createFailure('keyword', `${searchedPart} does not contain ${quote(keyword)}`)
}

/** A forbidden text may be in the part of a long body that was not read. The check succeeds, but says so. */
export function describeUnsearchedPart(
  { keyword_absent: forbiddenKeyword }: HttpSettings,
  { isFound, isTruncated }: KeywordSearchResult,
): string | null {
  if (forbiddenKeyword === null || isFound || !isTruncated) return null
  return `Only the first MiB of the response was searched for ${quote(forbiddenKeyword)}`
}
