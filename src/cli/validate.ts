/**
 * Validates input with the API's schemas and messages. Import it dynamically: loading TypeBox (680 files) takes a quarter
 * of a second, and most commands have nothing to validate.
 */
import type { FastifySchemaValidationError } from 'fastify'
import type { TSchema } from 'typebox'
import { Format } from 'typebox/format'
import { Value } from 'typebox/value'
import { CreateUser } from '../accounts/schema.ts'
import { describeValidationErrors } from '../http/validation-messages.ts'
import { CreateKey } from '../keys/schema.ts'
import { formatFieldError, invalid } from '../lib/problem.ts'

// The same pattern as the API's (ajv-formats). TypeBox's own pattern also accepts hosts without a dot and quoted names.
const domainLabel = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const localPartWord = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
const emailPattern = new RegExp(`^${localPartWord}(?:\\.${localPartWord})*@(?:${domainLabel}\\.)+${domainLabel}$`, 'i')
Format.Set('email', (text) => emailPattern.test(text))

function requireValid(schema: TSchema, input: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(input)) {
    if (typeof value === 'string' && value.includes('\0')) {
      throw invalid({ [field]: [formatFieldError(field, 'must not contain a null character')] })
    }
  }
  const errors = Value.Errors(schema, input)
  if (errors.length > 0) throw invalid(describeValidationErrors(errors as FastifySchemaValidationError[]))
}

export function requireValidUser(input: { email: string; password: string }): void {
  requireValid(CreateUser, input)
}

export function requireValidKey(input: { name: string; scopes: string[] }): void {
  requireValid(CreateKey, input)
}
