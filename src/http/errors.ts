/** Turns errors into problem responses (RFC 9457). */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldErrors, notFound, Problem, type ProblemCode, problems } from '../lib/problem.ts'
import { limitFieldErrors } from './field-errors.ts'
import { logProblem } from './problem-log.ts'
import { describeValidationErrors } from './validation-messages.ts'

export interface ProblemBody {
  type: string
  title: string
  status: number
  code: ProblemCode
  detail: string
  message: string
  errors?: FieldErrors
  request_id: string
}

function toProblemBody({ code, message, errors }: Problem, requestId: string): ProblemBody {
  const { status, title } = problems[code]
  const { detail, ...listedErrors } = errors ? limitFieldErrors(errors, message) : { detail: message }
  return {
    type: `/problems/${code}`,
    title,
    status,
    code,
    detail,
    message: detail,
    ...listedErrors,
    request_id: requestId,
  }
}

/** Our responses to errors that Fastify raises. */
const frameworkProblems: Record<string, [ProblemCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'The body is larger than 1 MiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as application/json or application/x-www-form-urlencoded.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', "The body's length doesn't match Content-Length."],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', notFound().message],
}

export function toProblem(error: FastifyError | Error): Problem {
  if (error instanceof Problem) return error
  const { validation, validationContext, code = '', statusCode = 500 } = error as FastifyError
  // A path parameter that isn't a valid id matches no record.
  if (validation && validationContext === 'params') return notFound()
  if (validation) {
    const errors = describeValidationErrors(validation)
    return new Problem('validation_failed', Object.values(errors)[0]?.[0] ?? 'The request is not valid.', { errors })
  }
  const frameworkProblem = frameworkProblems[code]
  if (frameworkProblem !== undefined) return new Problem(...frameworkProblem)
  if (statusCode >= 400 && statusCode < 500) return new Problem('malformed_request', "The request can't be parsed.")
  return internalProblem(error)
}

function internalProblem(cause: unknown): Problem {
  return new Problem('internal', 'Something went wrong on the server. The log has details under this request ID.', {
    cause,
  })
}

/** If the conversion itself threw, Fastify would send its default response without logging the error. */
export function toProblemSafely(error: FastifyError | Error): Problem {
  try {
    return toProblem(error)
  } catch (conversionError) {
    return internalProblem(conversionError)
  }
}

export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const { status } = problems[problem.code]
  logProblem(problem, request.log, request.id)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  // Errors raised by Fastify itself (frameworkErrors) skip the hook that sets this header.
  reply.header('x-request-id', request.id)
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...problem.headers })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(toProblemBody(problem, request.id)))
}

/** Formats a problem for responses that bypass Fastify. */
export function formatProblem(problem: Problem, requestId: string): { status: number; text: string } {
  return { status: problems[problem.code].status, text: JSON.stringify(toProblemBody(problem, requestId)) }
}

export function handleErrors(app: FastifyInstance, send: typeof sendProblem): void {
  app.setErrorHandler((error: FastifyError, request, reply) =>
    send(request.refusal ?? toProblemSafely(error), request, reply),
  )
}
