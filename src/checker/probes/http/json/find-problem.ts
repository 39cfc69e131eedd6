/** Tests assertions about the JSON in a response. This module is pure; it runs in the main thread and in a worker thread. */
import { compileJsonPath, isDepthError, MAX_JSON_DEPTH } from '../../../../lib/json-path.ts'
import { toVisibleLine } from '../../../../lib/text.ts'
import type { JsonAssertion } from '../../../../monitors/http-schema.ts'
import type { JsonOperator } from '../../../../shared/monitors.ts'
import { createTextDecoder } from '../../keyword-search.ts'

const MAX_QUOTED_VALUE_LENGTH = 60
const MAX_QUOTED_PATH_LENGTH = 100

type Scalar = string | number | boolean | null

export interface JsonJob {
  body: Uint8Array
  contentType: string | undefined
  assertions: readonly JsonAssertion[]
}

/** Returns a sentence about the first assertion that doesn't hold, or null if all of them hold. */
export function findJsonProblem({ body, contentType, assertions }: JsonJob): string | null {
  const text = createTextDecoder(contentType).decode(body)
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return describeInvalidJson(text)
  }
  for (const assertion of assertions) {
    const problem = testAssertion(document, assertion)
    if (problem !== null) return problem
  }
  return null
}

function describeInvalidJson(text: string): string {
  const start = toVisibleLine(text.slice(0, 200), MAX_QUOTED_VALUE_LENGTH)
  return start === ''
    ? 'Response is empty, expected JSON'
    : `Response is not valid JSON: it begins with ${quote(start)}`
}

function testAssertion(document: unknown, assertion: JsonAssertion): string | null {
  const path = toVisibleLine(assertion.path, MAX_QUOTED_PATH_LENGTH)
  try {
    const problem = assertion.op === 'exists' ? testExistence(document, assertion) : testValues(document, assertion)
    return problem === null ? null : `${path} ${problem}`
  } catch (error) {
    if (isDepthError(error)) return `${path} can't be tested: the JSON has more than ${MAX_JSON_DEPTH} levels`
    // The library exceeds the stack if one list in a filter has more than about 100,000 values, or is nested too deeply.
    if (error instanceof RangeError) return `${path} can't be tested: the JSON has too many values or levels`
    throw error
  }
}

function testExistence(document: unknown, { path, value: mustExist = true }: JsonAssertion): string | null {
  for (const { value } of select(document, path)) {
    return mustExist === false ? `exists: it is ${describe(value)}` : null
  }
  return mustExist === false ? null : 'selects nothing, expected a value'
}

/** Every operator except `exists` needs at least one selected value. */
function testValues(document: unknown, { path, op, value: expected = null }: JsonAssertion): string | null {
  let firstValue: unknown
  let valueCount = 0
  for (const { value } of select(document, path)) {
    if (valueCount++ === 0) firstValue = value
    if (!comparisons[op](value, expected)) continue
    return op === 'not_equals' ? `is ${describe(value)}, expected another value` : null
  }
  if (valueCount === 0) return `selects nothing, expected ${expectations[op](describe(expected))}`
  if (op === 'not_equals') return null
  const othersText = valueCount === 1 ? '' : ` (the first of ${valueCount} values)`
  return `is ${describe(firstValue)}${othersText}, expected ${expectations[op](describe(expected))}`
}

/** Yields the selected values one by one, because a list of all of them could need far more memory than the document. */
function select(document: unknown, path: string): Iterable<{ value: unknown }> {
  return compileJsonPath(path).lazyQuery(document as never)
}

/** Whether one selected value satisfies the assertion, or violates it in the case of `not_equals`. */
const comparisons: Record<JsonOperator, (value: unknown, expected: Scalar) => boolean> = {
  equals: (value, expected) => value === expected,
  not_equals: (value, expected) => value === expected,
  contains: (value, expected) =>
    typeof value === 'string'
      ? typeof expected === 'string' && value.includes(expected)
      : Array.isArray(value) && value.includes(expected),
  gt: compareNumbers((value, expected) => value > expected),
  gte: compareNumbers((value, expected) => value >= expected),
  lt: compareNumbers((value, expected) => value < expected),
  lte: compareNumbers((value, expected) => value <= expected),
  exists: () => true,
}

function compareNumbers(compare: (value: number, expected: number) => boolean) {
  return (value: unknown, expected: Scalar) =>
    typeof value === 'number' && typeof expected === 'number' && compare(value, expected)
}

const expectations: Record<JsonOperator, (expected: string) => string> = {
  equals: (expected) => expected,
  not_equals: (expected) => `a value other than ${expected}`,
  contains: (expected) => `it to contain ${expected}`,
  gt: (expected) => `more than ${expected}`,
  gte: (expected) => `at least ${expected}`,
  lt: (expected) => `less than ${expected}`,
  lte: (expected) => `at most ${expected}`,
  exists: () => 'a value',
}

function describe(value: unknown): string {
  if (typeof value === 'string') return quote(toVisibleLine(value.slice(0, 200), MAX_QUOTED_VALUE_LENGTH))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list with ${value.length} values`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

const quote = (text: string) => `"${text}"`
