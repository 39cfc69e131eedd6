/** Reads the body of a response and searches it for the monitor's keyword. */
import type { IncomingMessage } from 'node:http'
import type { HttpSettings } from '../../../monitors/http-schema.ts'
import type { CheckFailure } from '../probe.ts'
import { type BodyReader, readBody } from './body-reader.ts'
import { describeUnsearchedPart, findKeywordFailure } from './keyword-result.ts'
import { KeywordSearch } from './keyword-search.ts'

/** `note` is what the owner should know about a successful check. */
type BodyCheckDone = (failure: CheckFailure | null, note: string | null) => void

/**
 * Reads on after the keyword was found: a site whose pages are cut off is not up. Calls `done` once, unless the reader is
 * cancelled before.
 */
export function checkBody(response: IncomingMessage, settings: HttpSettings, done: BodyCheckDone): BodyReader {
  const keyword = settings.keyword ?? settings.keyword_absent
  const search = keyword === null ? undefined : new KeywordSearch(keyword, response.headers['content-type'])
  return readBody(response, {
    onData: search && ((chunk) => search.add(chunk)),
    onEnd(isTruncated) {
      search?.end()
      const result = { isFound: search?.isFound === true, isTruncated }
      done(findKeywordFailure(settings, result), describeUnsearchedPart(settings, result))
    },
    onFailure: (failure) => done(failure, null),
  })
}
