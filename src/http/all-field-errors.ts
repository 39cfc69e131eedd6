/** Reports what the schema rejects together with what the rules beyond the schema reject, so that one response lists all errors. */
import type { FastifyRequest } from 'fastify'
import { invalid, Problem } from '../lib/problem.ts'
import { toProblem } from './errors.ts'

/**
 * For routes with `attachValidation`, which run their handler even if the schema rejects the body. If it does, this throws the
 * schema's errors and those that `check` throws for the other fields of the body.
 */
export function requireValidBody(request: FastifyRequest, check: (validFields: object) => unknown): void {
  if (request.validationError === undefined) return
  const problem = toProblem(request.validationError)
  const { errors, code } = problem
  const { body } = request
  if (errors === undefined || code !== 'validation_failed' || typeof body !== 'object' || body === null) throw problem
  const invalidFields = new Set(Object.keys(errors).map((path) => path.split('.')[0]))
  const validFields = Object.fromEntries(Object.entries(body).filter(([name]) => !invalidFields.has(name)))
  throw invalid({ ...errors, ...findErrors(() => check(validFields)) })
}

function findErrors(check: () => unknown): Problem['errors'] {
  try {
    check()
  } catch (error) {
    if (error instanceof Problem && error.errors !== undefined) return error.errors
    throw error
  }
  return {}
}
