/** Searches the body of a response for the monitor's keyword, and tests its JSON. */
import type { HttpSettings } from '../../../monitors/http-schema.ts'
import { createFailure, quote } from '../failure.ts'
import { KeywordSearch } from '../keyword-search.ts'
import type { CheckFailure, HttpTarget, Inconclusive } from '../probe.ts'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import type { JsonTest, JsonTester } from './json/tester.ts'
import type { JsonVerdict } from './json/worker-client.ts'
import type { ResponseHead } from './response-head.ts'

/** `note` is what the owner should know about a successful check. */
export type BodyResult = { failure: CheckFailure | null; note: string | null } | Inconclusive

const noProblem: JsonVerdict = { problem: null }

interface BodyCheckCallbacks {
  /** Called when the response has ended. Testing its JSON may take longer. */
  onEnd(): void
  onResult(result: BodyResult): void
  onError(error: Error): void
}

/**
 * Continues to read after the keyword was found, because a site whose pages are cut off is not up. Calls `onResult` or
 * `onError` once, unless the reader is cancelled before.
 */
export function checkBody(
  head: ResponseHead,
  target: HttpTarget,
  jsonTester: JsonTester,
  { onEnd, onResult, onError }: BodyCheckCallbacks,
): BodyReader {
  const settings = target.http
  const keyword = settings.keyword ?? settings.keyword_absent
  const { contentType } = head
  const search = keyword === null ? undefined : new KeywordSearch(keyword, contentType)
  const jsonTest = settings.json.length === 0 ? undefined : jsonTester.start(target, contentType)
  const { onBody } = target
  const addToAll = (chunk: Buffer) => {
    search?.add(chunk)
    jsonTest?.add(chunk)
    onBody?.(chunk)
  }
  const reader = createBodyReader(head, {
    onData: search === undefined && jsonTest === undefined && onBody === undefined ? undefined : addToAll,
    onEnd(isTruncated) {
      search?.end()
      onEnd()
      const searchResult = { isFound: search?.isFound === true, isTruncated }
      const failure = findKeywordFailure(settings, searchResult)
      const note = describeUnsearchedPart(settings, searchResult)
      const verdict = failure === null && jsonTest !== undefined ? finishJsonTest(jsonTest, isTruncated) : noProblem
      const report = (jsonVerdict: JsonVerdict) => onResult(toBodyResult(jsonVerdict, { failure, note }))
      if (verdict instanceof Promise) verdict.then(report, onError)
      else report(verdict)
    },
    onFailure: (failure) => onResult({ failure, note: null }),
  })
  return {
    ...reader,
    cancel() {
      reader.cancel()
      jsonTest?.release()
    },
  }
}

/** The failure of a response that has no body, such as one with status 101. */
export function findMissingBodyFailure(settings: HttpSettings): CheckFailure | null {
  const keywordFailure = findKeywordFailure(settings, { isFound: false, isTruncated: false })
  if (keywordFailure !== null || settings.json.length === 0) return keywordFailure
  return createFailure('json', 'Response is empty, expected JSON')
}

function finishJsonTest(test: JsonTest, isTruncated: boolean): JsonVerdict | Promise<JsonVerdict> {
  return isTruncated ? { problem: "JSON of more than 1 MiB can't be tested" } : test.finish()
}

function toBodyResult(verdict: JsonVerdict, keywordResult: BodyResult): BodyResult {
  if ('inconclusive' in verdict) return verdict
  return verdict.problem === null ? keywordResult : { failure: createFailure('json', verdict.problem), note: null }
}

interface KeywordSearchResult {
  isFound: boolean
  /** Whether only the beginning of the body was searched. */
  isTruncated: boolean
}

function findKeywordFailure(
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

/** A forbidden text may be in the part of a long body that was not read. The check still succeeds, with this note. */
function describeUnsearchedPart(
  { keyword_absent: forbiddenKeyword }: HttpSettings,
  { isFound, isTruncated }: KeywordSearchResult,
): string | null {
  if (forbiddenKeyword === null || isFound || !isTruncated) return null
  return `Only the first MiB of the response was searched for ${quote(forbiddenKeyword)}`
}
