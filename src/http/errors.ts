/** The one place where something that went wrong becomes an answer (RFC 9457). */
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FieldErrors, notFound, Problem, type ProblemCode, problems } from '../lib/problem.ts'
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

function bodyOf(code: ProblemCode, detail: string, requestId: string, errors?: FieldErrors): ProblemBody {
  const { status, title } = problems[code]
  return {
    type: `/problems/${code}`,
    title,
    status,
    code,
    detail,
    message: detail,
    ...(errors && { errors }),
    request_id: requestId,
  }
}

/** What Fastify calls its own errors, in our words. */
const frameworkProblems: Record<string, [ProblemCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'The body is larger than 1 MiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as application/json or application/x-www-form-urlencoded.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not properly encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', notFound().message],
}

export function problemOf(error: FastifyError | Error): Problem {
  if (error instanceof Problem) return error
  const { validation, validationContext, code = '', statusCode = 500 } = error as FastifyError
  // An id that is no positive integer names nothing.
  if (validation && validationContext === 'params') return notFound()
  if (validation) {
    const errors = describeValidationErrors(validation)
    return new Problem('validation_failed', Object.values(errors)[0]?.[0] ?? 'The request is not valid.', { errors })
  }
  const known = frameworkProblems[code]
  if (known !== undefined) return new Problem(...known)
  if (statusCode >= 400 && statusCode < 500) return new Problem('malformed_request', 'The request cannot be read.')
  return internal(error)
}

function internal(cause: unknown): Problem {
  return new Problem('internal', 'Something went wrong on our side. The request id helps to find it in the log.', {
    cause,
  })
}

/** A mistake in making the answer must not leave in Fastify's words, and unlogged. */
function surelyProblemOf(error: FastifyError): Problem {
  try {
    return problemOf(error)
  } catch (mistake) {
    return internal(mistake)
  }
}

export function logProblem(problem: Problem, request: FastifyRequest): void {
  // What a service of somebody else's said is no fault of ours.
  if (problems[problem.code].status >= 500 && problem.code !== 'provider_delivery_failed')
    request.log.error({ err: problem.cause ?? problem, request: request.id }, problem.message)
}

export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const { status } = problems[problem.code]
  logProblem(problem, request)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  // Problems thrown before a handler ran (frameworkErrors) have passed no hook.
  reply.header('x-request-id', request.id)
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...problem.headers })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(bodyOf(problem.code, problem.message, request.id, problem.errors)))
}

/** For what does not pass through Fastify. */
export function textOfProblem({ code, message, errors }: Problem, requestId: string): { status: number; text: string } {
  return { status: problems[code].status, text: JSON.stringify(bodyOf(code, message, requestId, errors)) }
}

/** `tell`: says it to whoever asked. */
export function handleErrors(app: FastifyInstance, tell: typeof sendProblem): void {
  app.setErrorHandler((error: FastifyError, request, reply) => tell(surelyProblemOf(error), request, reply))
}

/** What Node's parser could not read at all: there is no request yet, only a socket. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const detail = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'The request is not proper HTTP.'
  const body = JSON.stringify(bodyOf('malformed_request', detail, requestId))
  const headers = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
