/** The API's own rules for what comes in, and its sentences for what does not fit them. */
import type { FastifySchemaValidationError } from 'fastify'
import type { TSchema } from 'typebox'
import { Format } from 'typebox/format'
import { Value } from 'typebox/value'
import { sentencesOf } from '../http/sentences.ts'
import { invalid } from '../lib/problem.ts'

// As the API has it, from ajv-formats: TypeBox's own also takes a host without a dot, and quoted names.
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const word = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const email = new RegExp(`^${word}(?:\\.${word})*@(?:${label}\\.)+${label}$`, 'i')
Format.Set('email', (text) => email.test(text))

export function requireValid(schema: TSchema, input: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(input)) {
    if (typeof value === 'string' && value.includes('\0')) {
      throw invalid({ [field]: [`The ${field} must not contain a null character.`] })
    }
  }
  const errors = Value.Errors(schema, input)
  if (errors.length > 0) throw invalid(sentencesOf(errors as FastifySchemaValidationError[]))
}
