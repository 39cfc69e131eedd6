/** Turns the validator's errors into readable messages by field. */
import type { FastifySchemaValidationError } from 'fastify'
import { type FieldErrors, formatFieldError, shortenFieldName } from '../lib/problem.ts'
import { MAX_LISTED_ERRORS } from './field-errors.ts'

type Params = Record<string, unknown>

/** The schema that contains the violated keyword. In verbose mode, Ajv adds it to an error. */
interface ViolatedSchema {
  minimum?: number
  maximum?: number
}

const typeNames: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a string',
  array: 'a list',
  object: 'an object',
}

const formatNames: Record<string, string> = {
  email: 'an email address',
  date: 'a date such as 2026-01-05',
  'date-time': 'a time such as 2026-01-05T10:00:00.000Z',
  uri: 'a URL such as https://example.com',
}

const phrasesByKeyword: Record<string, (params: Params, schema: ViolatedSchema) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  type: ({ type }) => `must be ${joinWithOr([type].flat().map((name) => typeNames[String(name)] ?? 'null'))}`,
  enum: ({ allowedValues }) => describeChoice(allowedValues as unknown[]),
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  minimum: ({ limit }, schema) => describeRange(schema) ?? `must be at least ${limit}`,
  maximum: ({ limit }, schema) => describeRange(schema) ?? `must be at most ${limit}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  maxProperties: ({ limit }) => `must have at most ${limit} entries`,
  uniqueItems: () => 'must not contain duplicates',
  format: ({ format }) => `must be ${formatNames[String(format)] ?? 'valid'}`,
}

function describeChoice(values: unknown[]): string {
  return `must be ${values.length > 3 ? 'one of ' : ''}${joinWithOr(values.map(String))}`
}

/** Returns undefined unless the schema has both limits. The largest safe integer means that there is no upper limit. */
function describeRange({ minimum, maximum = Number.MAX_SAFE_INTEGER }: ViolatedSchema): string | undefined {
  if (minimum === undefined || maximum === Number.MAX_SAFE_INTEGER) return undefined
  return `must be between ${minimum} and ${maximum}`
}

function joinWithOr(words: string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ')
}

function toFieldName({ keyword, instancePath, params }: FastifySchemaValidationError): string {
  // `instancePath` is a JSON pointer, which escapes "/" as "~1" and "~" as "~0".
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') path.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') path.push(String(params['additionalProperty']))
  return path.join('.') || 'body'
}

export function describeValidationErrors(validationErrors: readonly FastifySchemaValidationError[]): FieldErrors {
  // The object has no prototype, because a client may send a field called `constructor`.
  const messages: FieldErrors = Object.create(null)
  let messageCount = 0
  for (const error of validationErrors) {
    const field = shortenFieldName(toFieldName(error))
    const { parentSchema = {} } = error as { parentSchema?: ViolatedSchema }
    const phrase = phrasesByKeyword[error.keyword]?.(error.params, parentSchema) ?? 'is not valid'
    const message = formatFieldError(field, phrase)
    messages[field] ??= []
    if (messages[field].includes(message)) continue
    messages[field].push(message)
    // This keeps one error more than the response lists, so that the response can say that there are more.
    if (++messageCount > MAX_LISTED_ERRORS) break
  }
  return messages
}
