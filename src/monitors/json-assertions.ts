/** Assertions about the JSON in a response. */
import type { FieldParser } from '../lib/field-parser.ts'
import { parseJsonPath } from '../lib/json-path.ts'
import type { JsonOperator } from '../shared/monitors.ts'
import type { JsonAssertion } from './http-schema.ts'

const numberOperators: readonly JsonOperator[] = ['gt', 'gte', 'lt', 'lte']

export function parseJsonAssertions(parser: FieldParser, assertions: readonly JsonAssertion[]): JsonAssertion[] {
  return assertions.map((assertion, index) => {
    const field = `http.json.${index}`
    const { path, op, value } = assertion
    const valueError = findValueError(op, value)
    if (valueError !== undefined) parser.addErrors(`${field}.value`, [valueError])
    return { ...assertion, path: parser.parse(`${field}.path`, path, parseJsonPath) ?? path }
  })
}

function findValueError(op: JsonOperator, value: JsonAssertion['value']): string | undefined {
  if (op === 'exists') {
    return value === undefined || typeof value === 'boolean' ? undefined : 'must be true or false for `exists`'
  }
  if (value === undefined) return `is required for \`${op}\``
  return numberOperators.includes(op) && typeof value !== 'number' ? `must be a number for \`${op}\`` : undefined
}
