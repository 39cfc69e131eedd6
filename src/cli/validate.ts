/** Validates input with the API's schemas and messages. Import it dynamically: loading Ajv takes time, and most commands validate nothing. */
import type { FastifySchemaValidationError } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { CreateUser } from '../accounts/schema.ts'
import { describeValidationErrors } from '../http/validation-messages.ts'
import { compileValidator } from '../http/validator-compiler.ts'
import { CreateKey } from '../keys/schema.ts'
import { formatFieldError, invalid } from '../lib/problem.ts'
import { CreateInvitation } from '../teams/invitation-schema.ts'

function requireValid(schema: TSchema, input: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(input)) {
    if (typeof value === 'string' && value.includes('\0')) {
      throw invalid({ [field]: [formatFieldError(field, 'must not contain a null character')] })
    }
  }
  const validate = compileValidator({ schema, method: '', url: '' })
  if (validate(input) !== true)
    throw invalid(describeValidationErrors(validate.errors as FastifySchemaValidationError[]))
}

export function requireValidUser(input: { email: string; password: string }): void {
  requireValid(CreateUser, input)
}

export function requireValidKey(input: Static<typeof CreateKey>): void {
  requireValid(CreateKey, { ...input })
}

export function requireValidInvitation(input: CreateInvitation): void {
  requireValid(CreateInvitation, { ...input })
}
