/**
 * Converts texts to the types that a schema expects: integers, numbers with a decimal point, and the booleans true,
 * false, 1 and 0. In forms and queries, a single value can become a list.
 */
import { formatFieldError, invalid } from '../lib/problem.ts'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
}

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
])

/** PostgreSQL can store neither null characters nor unpaired surrogates. */
function requireStorableText(value: string, path: string[]): void {
  const forbiddenContent = value.includes('\0')
    ? 'a null character'
    : value.isWellFormed()
      ? undefined
      : 'an unpaired surrogate'
  const field = path.join('.')
  if (forbiddenContent !== undefined)
    throw invalid({ [field]: [formatFieldError(field, `must not contain ${forbiddenContent}`)] })
}

/** With `allowSingle`, one value can stand for a list, as in a form or query that names the field once. */
export function coerce(schema: Schema | undefined, value: unknown, allowSingle: boolean, path: string[] = []): unknown {
  if (typeof value === 'string') requireStorableText(value, path)
  if (schema === undefined) return value
  const type = [schema.type].flat()[0]
  if (type === 'integer' && typeof value === 'string' && /^-?\d{1,16}$/.test(value)) return Number(value)
  if (type === 'number' && typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value)
  if (type === 'boolean') return booleans.get(value) ?? value
  if (type === 'array') {
    const list = allowSingle && !Array.isArray(value) ? [value] : value
    if (!Array.isArray(list)) return list
    // One entry too many is enough for the validator to reject the list. Validating thousands of entries would take 30 ms.
    const checkedList = schema.maxItems === undefined ? list : list.slice(0, schema.maxItems + 1)
    return checkedList.map((item, i) => coerce(schema.items, item, allowSingle, [...path, `${i}`]))
  }
  if (type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const properties = schema.properties ?? {}
    // `properties` inherits `constructor`, and a client may send a field with that name.
    const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, coerce(schemaOf(name), field, allowSingle, [...path, name])]),
    )
  }
  return value
}
