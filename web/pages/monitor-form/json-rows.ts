/** Rows of the form for assertions about JSON, and their conversion from and to the API. */
import type { JsonAssertion } from '../../../src/monitors/http-schema.ts'
import type { JsonOperator } from '../../../src/shared/monitors.ts'

/** The API expresses "does not exist" as `exists` with the value false. */
export type JsonRowOperator = JsonOperator | 'missing'

export interface JsonRow {
  key: number
  path: string
  op: JsonRowOperator
  value: string
}

export const jsonOperatorChoices: readonly { value: JsonRowOperator; label: string }[] = [
  { value: 'equals', label: 'equals' },
  { value: 'not_equals', label: 'does not equal' },
  { value: 'contains', label: 'contains' },
  { value: 'gt', label: 'is greater than' },
  { value: 'gte', label: 'is at least' },
  { value: 'lt', label: 'is less than' },
  { value: 'lte', label: 'is at most' },
  { value: 'exists', label: 'exists' },
  { value: 'missing', label: 'does not exist' },
]

export const hasJsonValue = (op: JsonRowOperator) => op !== 'exists' && op !== 'missing'

type JsonScalar = string | number | boolean | null

/** Parses numbers, true, false and null as JSON. In quotes, they are text. Other text needs no quotes. */
function parseScalar(text: string): JsonScalar {
  try {
    const value: unknown = JSON.parse(text)
    return value === null || typeof value !== 'object' ? (value as JsonScalar) : text
  } catch {
    return text
  }
}

/** The shortest text from which `parseScalar` returns this value. */
const formatScalar = (value: JsonScalar) =>
  typeof value === 'string' && parseScalar(value) === value ? value : JSON.stringify(value)

export function toJsonRows(assertions: readonly JsonAssertion[]): JsonRow[] {
  return assertions.map(({ path, op, value }, key) =>
    op === 'exists'
      ? { key, path, op: value === false ? 'missing' : 'exists', value: '' }
      : { key, path, op, value: value === undefined ? '' : formatScalar(value) },
  )
}

/** Includes rows without a path, so that the server's error names the row. */
export function toJsonAssertions(rows: readonly JsonRow[]): JsonAssertion[] {
  return rows.map(({ path, op, value }) => {
    if (op === 'missing') return { path: path.trim(), op: 'exists', value: false }
    return { path: path.trim(), op, ...(op !== 'exists' && { value: parseScalar(value.trim()) }) }
  })
}
