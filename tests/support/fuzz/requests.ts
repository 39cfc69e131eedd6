/** Generates requests from the OpenAPI document. The same seed and number give the same request for the same ids. */
import { type Random, seededRandom } from '../../../src/traffic/demo/random.ts'
import {
  type FieldValues,
  hostileStrings,
  hostileValue,
  type JsonSchema,
  pick,
  targetFields,
  toJson,
  ValueGenerator,
} from './values.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: JsonSchema
  example?: unknown
}

interface MediaType {
  schema: JsonSchema
  example?: object
  examples?: Record<string, { value: object }>
}

export interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, MediaType> }
}

export interface FuzzOperation extends Operation {
  method: string
  path: string
}

export interface FuzzRequest {
  operationId: string
  caller: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

/**
 * Ids of existing resources. A key is the path of their list, such as `/api/monitors`, or the name of a parameter, such
 * as `post_id`. The key `/beat` has the tokens of heartbeats.
 */
export type KnownIds = Record<string, (number | string)[]>

export function listOperations(paths: Record<string, Record<string, Operation>>): FuzzOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** Each of these operations hashes a password, which takes 45 ms, so they are sent less often. */
const slowOperations = new Set(['signIn', 'createUser', 'unlockStatistics', 'createFirstAdmin', 'changePassword'])

const contentTypes = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'APPLICATION/JSON; charset=UTF-8',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded; charset=iso-8859-1',
  'application/json;;',
  'image/png',
  'image/svg+xml',
  '/',
]

/** Header values can't contain characters outside Latin-1 or control characters. */
const hostileHeaderValues = [
  '',
  ' ',
  ',',
  ';q=2',
  '*/*;q=0',
  'é'.repeat(300),
  '"',
  'a'.repeat(2_000),
  '-1',
  'null',
  '%00',
]
const hostileHeaders = [
  'accept',
  'accept-encoding',
  'if-none-match',
  'origin',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'range',
  'idempotency-key',
  'content-encoding',
  'user-agent',
  'x-http-method-override',
]
const hostileIds = [
  '0',
  '-1',
  'abc',
  '1.5',
  '1e3',
  '%00',
  '%zz',
  '%F0%9F%98%80',
  '%2e%2e',
  '1%2F2',
  '1;2',
  '9'.repeat(400),
]

export class RequestGenerator {
  readonly #operations: readonly FuzzOperation[]
  readonly #seed: number
  readonly #fieldValues: FieldValues
  readonly #ids: KnownIds

  constructor(options: { operations: FuzzOperation[]; seed: number; fieldValues: FieldValues; ids: KnownIds }) {
    this.#operations = options.operations.flatMap((operation) =>
      Array(slowOperations.has(operation.operationId) ? 1 : 6).fill(operation),
    )
    this.#seed = options.seed
    this.#fieldValues = options.fieldValues
    this.#ids = options.ids
  }

  generate(number: number, callers: Record<string, { headers: Record<string, string> }>): FuzzRequest {
    const random = seededRandom(this.#seed, number)
    const values = new ValueGenerator(random, this.#fieldValues)
    const operation = pick(random, this.#operations)
    const caller = pick(random, Object.keys(callers))
    const body = this.#generateBody(operation, random, values)
    const query = this.#generateQuery(operation, random, values)
    return {
      operationId: operation.operationId,
      caller,
      method: random() < 0.03 ? pick(random, ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST']) : operation.method,
      path: this.#fillPath(operation.path, random) + (query === '' ? '' : `?${query}`),
      headers: { ...generateHeaders(random, operation), ...body?.headers, ...callers[caller]?.headers },
      body: body?.bytes,
    }
  }

  #fillPath(path: string, random: Random): string {
    const [kind = ''] = /^\/api\/(?:v1\/)?[\w-]+|^\/beat/.exec(path) ?? []
    const knownIds = this.#ids[kind.replace('stats', 'websites')] ?? []
    const id = random() < 0.85 && knownIds.length > 0 ? String(pick(random, knownIds)) : pick(random, hostileIds)
    const signal = random() < 0.85 ? pick(random, ['start', 'fail', '0', '1']) : pick(random, hostileIds)
    const fillParameter = (name: string) => {
      const namedIds = this.#ids[name] ?? []
      return namedIds.length > 0 && random() < 0.9 ? String(pick(random, namedIds)) : id
    }
    return path.replace('{signal}', signal).replaceAll(/\{(\w+)\}/g, (_match, name) => fillParameter(name))
  }

  #generateQuery({ parameters = [] }: Operation, random: Random, values: ValueGenerator): string {
    const encode = (value: unknown) => encodeURIComponent(String(value).toWellFormed())
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query' && random() < (parameter.required ? 0.97 : 0.3))
      .flatMap(({ name, schema, example }) => {
        const validValue = example !== undefined && random() < 0.7 ? example : values.valid(schema, name)
        const arbitraryValue = random() < 0.85 ? validValue : hostileValue(random)
        const value = targetFields.has(name) ? values.valid(schema, name) : arbitraryValue
        const repeatedValues = [value].flat().slice(0, 50)
        return (random() < 0.05 ? [...repeatedValues, 'x'] : repeatedValues).map((item) => `${name}=${encode(item)}`)
      })
    if (random() < 0.05)
      pairs.push(pick(random, ['__proto__=1', 'a[b]=1', '=', '&&', '%', '%zz=%zz', 'constructor', 'page=1']))
    return pairs.join('&').slice(0, 8_000)
  }

  #generateBody({ requestBody }: Operation, random: Random, values: ValueGenerator) {
    if (requestBody === undefined && random() < 0.95) return undefined
    const { schema = {}, example, examples = {} } = Object.values(requestBody?.content ?? {})[0] ?? {}
    const bodies = [example, ...Object.values(examples).map((named) => named.value)].filter(
      (body) => body !== undefined,
    )
    const usesExample = bodies.length > 0 && random() < 0.5
    let value = usesExample
      ? values.replaceTargets(pick(random, bodies) as Record<string, unknown>)
      : values.valid(schema)
    const mutationCount = pick(random, [0, 0, 0, 0, 1, 1, 1, 2, 5])
    for (let n = 0; n < mutationCount; n++) value = values.mutate(value)
    const isForm = random() < 0.2
    const text = isForm ? toForm(value) : mutateText(toJson(value), random)
    const contentType = random() < 0.05 ? pick(random, contentTypes) : undefined
    const usualType = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const bytes = random() < 0.02 ? Buffer.from(text, 'latin1') : Buffer.from(text)
    return { bytes, headers: { 'content-type': contentType ?? usualType } }
  }
}

function generateHeaders(random: Random, { parameters = [] }: Operation): Record<string, string> {
  const acceptsKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  // The server limits wrong passwords by address, so the requests come from many addresses.
  const address = `198.51.100.${Math.floor(random() * 256)}`
  return {
    'x-forwarded-for': address,
    ...(acceptsKey && random() < 0.3 && { 'idempotency-key': `key-${Math.floor(random() * 20)}` }),
    ...(random() < 0.1 && { accept: pick(random, ['text/csv', 'text/html', 'application/json;q=0']) }),
    ...(random() < 0.1 && { [pick(random, hostileHeaders)]: pick(random, hostileHeaderValues) }),
  }
}

function toForm(value: unknown): string {
  const toText = (item: unknown) => (typeof item === 'object' ? toJson(item) : String(item)).toWellFormed()
  const pairs = Object.entries(Object(value) as object)
    // In a form, the value `true` would become text, which the server would use as a host name.
    .filter(([name, field]) => !targetFields.has(name) || typeof field === 'string')
    .flatMap(([name, field]) => [field].flat().map((item) => [name.toWellFormed(), toText(item)]))
  return new URLSearchParams(pairs).toString()
}

function mutateText(json: string, random: Random): string {
  if (random() < 0.93) return json
  const [, firstName] = /^\{"(\w+)"/.exec(json) ?? []
  return pick(random, [
    '',
    'null',
    `\ufeff${json}`,
    json.slice(0, Math.floor(random() * json.length)),
    `${json}x`,
    '['.repeat(5_000),
    `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
    `{${'"x":1,'.repeat(5_000)}"y":1}`,
    firstName === undefined ? json : json.replace('{', `{"${firstName}":null,`),
    toJson(pick(random, hostileStrings)),
    toJson({ name: 'x'.repeat(random() < 0.1 ? 1_100_000 : 100_000) }),
  ])
}

/** Returns a command that repeats the request, with at most the first 6,000 bytes of its body. */
export function toCurl(address: string, { method, path, headers, body }: FuzzRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const headerOptions = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const bodyOption =
    body === undefined ? [] : [`--data-binary @<(base64 -d <<< ${body.subarray(0, 6_000).toString('base64')})`]
  const bodyComment = body === undefined ? '' : `\n# body: ${JSON.stringify(body.toString().slice(0, 500))}`
  return ['curl -i', `-X ${method}`, ...headerOptions, ...bodyOption, quote(address + path)].join(' ') + bodyComment
}
