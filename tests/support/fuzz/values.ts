/** Valid and hostile values for the schemas of the OpenAPI document. */
import type { Random } from '../../../src/traffic/demo/random.ts'

export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  required?: string[]
  items?: JsonSchema
  examples?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

/** Marks a number that JSON allows, but `JSON.stringify` can't write, such as 1e400. `toJson` writes it as it is. */
const rawNumber = (text: string) => `@@${text}@@`

const hostileNumbers = [
  0,
  -1,
  1.5,
  -0,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e21,
  ...['1e400', '-1e400', '1E-400', '99999999999999999999999', '0.1e1'].map(rawNumber),
]

export const hostileStrings = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  'true',
  'null',
  '[]',
  '{}',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u202eabc\ufeff',
  'İıſK',
  '😀'.repeat(60),
  'e\u0301'.repeat(300),
  '%00%zz%',
  '../../etc/passwd',
  "'; drop table users; --",
  '$1 %s {{7*7}}',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: x=y',
  '__proto__',
  'constructor',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '275760-09-13T00:00:00.001Z',
  'Europe/Atlantis',
  'a@b',
  '*'.repeat(500),
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(20_000),
]

const hostileNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a.b', 'a/b~c', 'ключ', 'id', '0']

const nest = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1)

const hostileOthers = [null, true, false, [], {}, [[]], [null], { a: { b: { c: [] } } }, nest(9), nest(200)]

export function hostileValue(random: Random): unknown {
  return pick(random, pick<readonly unknown[]>(random, [hostileNumbers, hostileStrings, hostileStrings, hostileOthers]))
}

/** Fields whose value makes the server connect somewhere. Their texts only ever come from `FieldValues`. */
export const targetFields = new Set(['url', 'webhook_url', 'server', 'homeserver', 'resolver', 'custom_domain', 'host'])

/** Valid values by the name of a field, for values that no schema describes: ids that exist, or a correct password. */
export type FieldValues = Record<string, (random: Random) => unknown>

export class ValueGenerator {
  readonly #random: Random
  readonly #fieldValues: FieldValues

  constructor(random: Random, fieldValues: FieldValues) {
    this.#random = random
    this.#fieldValues = fieldValues
  }

  valid(schema: JsonSchema, name = ''): unknown {
    const random = this.#random
    const knownValue = this.#fieldValues[name]
    const type = pick(random, [schema.type ?? 'string'].flat())
    if (knownValue !== undefined && (type === typeof knownValue(random) || schema.type !== 'integer'))
      return knownValue(random)
    if (schema.const !== undefined) return schema.const
    if (schema.anyOf !== undefined) return this.valid(pick(random, schema.anyOf), name)
    if (schema.enum !== undefined) return pick(random, schema.enum)
    if (type === 'object' && schema.properties !== undefined) return this.#validObject(schema)
    if (schema.examples !== undefined && random() < 0.8) return pick(random, schema.examples)
    return this.#validOfType(type, schema)
  }

  #validOfType(
    type: string,
    { items = {}, minimum = 0, maximum = 1_000, minLength = 0, maxLength = 30 }: JsonSchema,
  ): unknown {
    const random = this.#random
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return random() < 0.5
      case 'integer':
      case 'number':
        return minimum + Math.floor(random() * (Math.min(maximum, minimum + 2_000) - minimum + 1))
      case 'array':
        return Array.from({ length: 1 + Math.floor(random() * 3) }, () => this.valid(items))
      case 'object':
        return { name: 'value' }
      default: {
        const length = minLength + Math.floor(random() * (Math.min(maxLength, 60) - minLength + 1))
        return 'aB-9 é.'.repeat(60).slice(0, length)
      }
    }
  }

  /** Replaces the targets of an example, because the examples in the document show public targets. */
  replaceTargets(example: Record<string, unknown>): object {
    const toSafe = ([name, value]: [string, unknown]) => [
      name,
      targetFields.has(name) ? this.#fieldValues[name]?.(this.#random) : value,
    ]
    return Object.fromEntries(Object.entries(example).map(toSafe))
  }

  #validObject({ properties = {}, required = [] }: JsonSchema): object {
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.#random() < 0.3)
    return Object.fromEntries(names.map((name) => [name, this.valid(properties[name] as JsonSchema, name)]))
  }

  /** Returns a copy in which one part is replaced, removed or added. */
  mutate(value: unknown, name = ''): unknown {
    const random = this.#random
    if (targetFields.has(name)) return random() < 0.5 ? this.valid({}, name) : pick(random, hostileOthers)
    if (typeof value !== 'object' || value === null || random() < 0.1) return hostileValue(random)
    if (Array.isArray(value)) return this.#mutateList(value)
    const entries = Object.entries(value)
    const index = Math.floor(random() * entries.length)
    const [key = ''] = entries[index] ?? []
    const change = random()
    if (change < 0.15 || entries.length === 0) entries.push([pick(random, hostileNames), hostileValue(random)])
    else if (change < 0.3) entries.splice(index, 1)
    else entries[index] = [key, this.mutate(entries[index]?.[1], key)]
    // `Object.fromEntries` creates a field called __proto__ instead of setting the prototype.
    return Object.fromEntries(entries)
  }

  #mutateList(list: unknown[]): unknown[] {
    const random = this.#random
    if (list.length === 0) return [hostileValue(random)]
    const [firstItem] = list
    const index = Math.floor(random() * list.length)
    return pick(random, [
      () => list.with(index, this.mutate(list[index])),
      () => [...list, hostileValue(random)],
      () => [...list, ...list],
      () => Array(1_500).fill(firstItem),
      () => Array(30_000).fill(0),
    ])()
  }
}

export function toJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replaceAll(/"@@([^"]*)@@"/g, '$1')
}
