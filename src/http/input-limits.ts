/**
 * Limits the size of a request's data structure before it is parsed and validated. Validating hundreds of thousands of fields
 * would block the process for a second, and the response would list an error for each.
 */
import { invalid, type Problem } from '../lib/problem.ts'

/** An object: several times what any endpoint accepts, so that the schema rejects a likely mistake with a better message. */
const MAX_FIELDS = 100
/** A list: twice what any endpoint accepts, for the same reason. */
const MAX_LIST_ENTRIES = 2_000
/** A JSON body in total. */
const MAX_VALUES = 10_000
const MAX_LEVELS = 10
/** A form or query: one list, and other fields. */
const MAX_PARAMETERS = MAX_LIST_ENTRIES + MAX_FIELDS

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const tooComplex = (part: 'body' | 'query', message: string): Problem => invalid({ [part]: [message] })

interface OpenValue {
  isList: boolean
  count: number
}

/** Scans the text without parsing it, and stops at the first limit. Text that isn't JSON passes; the parser rejects it. */
export function limitJson(text: string): void {
  const openValues: OpenValue[] = []
  let valueCount = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = findStringEnd(text, i)
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        openValues.push({ isList: text.charCodeAt(i) === OPEN_BRACKET, count: 1 })
        if (openValues.length > MAX_LEVELS)
          throw tooComplex('body', `Objects and lists can be nested at most ${MAX_LEVELS} levels deep.`)
        valueCount++
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        openValues.pop()
        break
      case COMMA:
        requireFewEntries(openValues.at(-1))
        valueCount++
        break
    }
    if (valueCount > MAX_VALUES) throw tooComplex('body', `The body can have at most ${MAX_VALUES} values.`)
  }
}

/** Counts one more entry of the object or list that a comma belongs to. */
function requireFewEntries(value: OpenValue | undefined): void {
  if (value === undefined) return
  value.count++
  if (value.isList && value.count > MAX_LIST_ENTRIES)
    throw tooComplex('body', `A list can have at most ${MAX_LIST_ENTRIES} entries.`)
  if (!value.isList && value.count > MAX_FIELDS)
    throw tooComplex('body', `An object can have at most ${MAX_FIELDS} fields.`)
}

/** Returns the position of the closing quote, or of the end of the text. A quote after an odd number of backslashes is escaped. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let firstBackslash = end
    while (text.charCodeAt(firstBackslash - 1) === BACKSLASH) firstBackslash--
    if ((end - firstBackslash) % 2 === 0) return end
  }
  return text.length
}

/** For forms and queries, before they are parsed. */
export function limitParameters(text: string, part: 'body' | 'query'): void {
  let count = 1
  for (let i = text.indexOf('&'); i !== -1; i = text.indexOf('&', i + 1)) {
    if (++count > MAX_PARAMETERS) throw tooComplex(part, `The ${part} can have at most ${MAX_PARAMETERS} values.`)
  }
}

/** For forms and queries, after they are parsed. */
export function limitFieldNames(fields: object, part: 'body' | 'query'): void {
  if (Object.keys(fields).length > MAX_FIELDS)
    throw tooComplex(part, `The ${part} can have at most ${MAX_FIELDS} different fields.`)
}
