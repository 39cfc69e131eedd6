/** The spellings of the contract: integers as decimal digits, booleans as true, false, 1, 0, a list of one as itself. */
import { describeField, invalid } from '../lib/problem.ts'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
}

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
])

/** PostgreSQL takes neither: the one is no text, and half a character is none either. */
function requireText(value: string, path: string[]): void {
  const fault = value.includes('\0') ? 'a null character' : value.isWellFormed() ? undefined : 'an unpaired surrogate'
  const field = path.join('.')
  if (fault !== undefined) throw invalid({ [field]: [describeField(field, `must not contain ${fault}`)] })
}

/** `lists`: a single value may stand for a list, as in a form or a query that names it once. */
export function coerce(schema: Schema | undefined, value: unknown, lists: boolean, path: string[] = []): unknown {
  if (typeof value === 'string') requireText(value, path)
  if (schema === undefined) return value
  const type = [schema.type].flat()[0]
  if (type === 'integer' && typeof value === 'string' && /^-?\d{1,16}$/.test(value)) return Number(value)
  if (type === 'boolean') return booleans.get(value) ?? value
  if (type === 'array') {
    const list = lists && !Array.isArray(value) ? [value] : value
    return Array.isArray(list) ? list.map((item, i) => coerce(schema.items, item, lists, [...path, `${i}`])) : list
  }
  if (type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const properties = schema.properties ?? {}
    // A field may be called `constructor`, which every object has.
    const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined)
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, coerce(schemaOf(name), part, lists, [...path, name])]),
    )
  }
  return value
}
