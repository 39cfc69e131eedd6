/** What a validator found, said to a person, by field. */
import type { FastifySchemaValidationError } from 'fastify'
import type { FieldErrors } from '../lib/problem.ts'

type Params = Record<string, unknown>

const kinds: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list',
  object: 'an object',
}

const formats: Record<string, string> = {
  email: 'an e-mail address',
  date: 'a date such as 2026-01-05',
  'date-time': 'a time such as 2026-01-05T10:00:00.000Z',
  uri: 'an address such as https://example.com',
}

const rules: Record<string, (params: Params) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a field of this request',
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .map((name) => kinds[String(name)] ?? 'null')
      .join(' or ')}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  maxProperties: ({ limit }) => `must have at most ${limit} entries`,
  uniqueItems: () => 'must not repeat an entry',
  format: ({ format }) => `must be ${formats[String(format)] ?? 'valid'}`,
}

function fieldOf({ keyword, instancePath, params }: FastifySchemaValidationError): string {
  // As a JSON pointer writes it.
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') path.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') path.push(String(params['additionalProperty']))
  return path.join('.') || 'body'
}

export function sentencesOf(found: readonly FastifySchemaValidationError[]): FieldErrors {
  // Without a prototype: a field may be called `constructor`.
  const errors: FieldErrors = Object.create(null)
  for (const error of found) {
    const field = fieldOf(error)
    const rule = rules[error.keyword]?.(error.params) ?? 'is not valid'
    const sentence = `The ${field} ${rule}.`
    errors[field] ??= []
    if (!errors[field].includes(sentence)) errors[field].push(sentence)
  }
  return errors
}
