/**
 * Reports the errors of the schema together with those of rules that a schema can't express, so that one response lists
 * all errors.
 */
import type { FastifyRequest } from 'fastify'
import { type FieldErrors, invalid, Problem } from '../lib/problem.ts'
import { toProblem } from './errors.ts'

/**
 * For routes with `attachValidation`, whose handlers run even if the schema rejects the body. In that case, throws the
 * schema's errors together with those that `check` throws for the valid fields. `check` doesn't get the rejected fields
 * and calls them missing, so its errors about these fields are left out.
 */
export function requireValidBody(request: FastifyRequest, check: (validFields: object) => unknown): void {
  if (request.validationError === undefined) return
  const problem = toProblem(request.validationError)
  const { errors, code } = problem
  const { body } = request
  if (errors === undefined || code !== 'validation_failed' || typeof body !== 'object' || body === null) throw problem
  const nameOf = (path: string) => path.split('.')[0] as string
  const invalidFields = new Set(Object.keys(errors).map(nameOf))
  const validFields = Object.fromEntries(Object.entries(body).filter(([name]) => !invalidFields.has(name)))
  const otherErrors = Object.entries(findErrors(() => check(validFields))).filter(
    ([path]) => !invalidFields.has(nameOf(path)),
  )
  throw invalid({ ...errors, ...Object.fromEntries(otherErrors) })
}

function findErrors(check: () => unknown): FieldErrors {
  try {
    check()
  } catch (error) {
    if (error instanceof Problem && error.errors !== undefined) return error.errors
    throw error
  }
  return {}
}
