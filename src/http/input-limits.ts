/**
 * Limits the size of a request's data structure before it is parsed and validated. Validating hundreds of thousands of fields
 * would block the process for a second, and the response would list an error for each.
 */
import { findJsonExcess, type JsonLimits } from '../lib/json-limits.ts'
import { invalid, type Problem } from '../lib/problem.ts'

/**
 * No endpoint accepts nearly as many fields. So a request with a few fields too many reaches the schema, whose message
 * is better.
 */
const MAX_FIELDS = 100
/**
 * This is twice as many as any endpoint accepts. So a list with a few entries too many reaches the schema, whose
 * message is better.
 */
const MAX_LIST_ENTRIES = 2_000
const jsonLimits: JsonLimits = { fields: MAX_FIELDS, entries: MAX_LIST_ENTRIES, values: 10_000, levels: 10 }
/** A form or query can have one list of the maximum length, and other fields. */
const MAX_PARAMETERS = MAX_LIST_ENTRIES + MAX_FIELDS

const tooComplex = (part: 'body' | 'query', message: string): Problem => invalid({ [part]: [message] })

/** Call it before the body is parsed. */
export function limitJson(text: string): void {
  const excess = findJsonExcess(text, jsonLimits)
  if (excess !== undefined) throw tooComplex('body', excess)
}

/** Limits the values of a form or query. Call it before they are parsed. */
export function limitParameters(text: string, part: 'body' | 'query'): void {
  let count = 1
  for (let i = text.indexOf('&'); i !== -1; i = text.indexOf('&', i + 1)) {
    if (++count > MAX_PARAMETERS) throw tooComplex(part, `The ${part} can have at most ${MAX_PARAMETERS} values.`)
  }
}

/** Limits the different fields of a form or query. Call it after they are parsed. */
export function limitFieldNames(fields: object, part: 'body' | 'query'): void {
  if (Object.keys(fields).length > MAX_FIELDS)
    throw tooComplex(part, `The ${part} can have at most ${MAX_FIELDS} different fields.`)
}
