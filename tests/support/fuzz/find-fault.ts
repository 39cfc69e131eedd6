/** The rules that every response of the API must follow, whatever the request was. */
import { type ProblemCode, problems } from '../../../src/lib/problem.ts'
import type { ResponseValidator } from '../response-validator.ts'

export interface FuzzResponse {
  status: number
  headers: Record<string, string | undefined>
  text: string
}

/** Statuses from 500 that the API description allows, by operation. Any other status from 500 is a bug. */
const promisedServerErrors: Record<string, number[]> = {
  // The message was not delivered: the service refused it, or the operator has not configured the service.
  testProvider: [502],
  testUnsavedProvider: [502],
  updateMailServer: [502],
  testMailServer: [502],
  // On a very busy machine, the node's heartbeat is late. Then the node must not claim checks.
  checkMonitor: [503],
}

/** Statuses of requests that match no operation of the OpenAPI document. */
const unmatchedStatuses = [400, 404, 405, 422]

/** Signs of an error message that was not written for clients. */
const internalErrorPattern = /node_modules|\.ts:\d|violates|syntax error|at async|ECONN|undefined/

export interface RequestLine {
  operationId: string
  method: string
  path: string
}

/** Returns the rule that the response breaks. */
export function findFault(
  request: RequestLine,
  response: FuzzResponse,
  validator: ResponseValidator,
): string | undefined {
  const { operationId, method } = request
  const { status, headers, text } = response
  const path = request.path.split('?', 1)[0] ?? ''
  if (headers['x-request-id'] === undefined) return 'no X-Request-Id'
  if (status >= 500 && !promisedServerErrors[operationId]?.includes(status)) return `status ${status}`
  const contentType = headers['content-type'] ?? ''
  const isJson = contentType.includes('json') && method !== 'HEAD'
  let body: unknown
  try {
    body = isJson && text !== '' ? JSON.parse(text) : undefined
    validator.validate(method, path, { status, contentType, body })
  } catch (error) {
    return (error as Error).message
  }
  if (!validator.isDocumented(method, path) && status >= 300 && !unmatchedStatuses.includes(status)) {
    return `status ${status} outside the OpenAPI document`
  }
  if (status < 400) return undefined
  if (method !== 'HEAD' && contentType !== 'application/problem+json; charset=utf-8')
    return `an error with the content type ${contentType}`
  return isJson ? findProblemFault(response, body as Record<string, unknown>) : undefined
}

function findProblemFault({ status, headers, text }: FuzzResponse, body: Record<string, unknown>): string | undefined {
  const code = body['code'] as ProblemCode
  if (problems[code]?.status !== status || body['status'] !== status) return `code ${code} with status ${status}`
  if (body['type'] !== `/problems/${code}` || body['title'] !== problems[code].title)
    return 'type or title of another code'
  if (body['request_id'] !== headers['x-request-id']) return 'request_id differs from X-Request-Id'
  if (body['message'] !== body['detail'] || !/\S.*[.?]$/s.test(String(body['detail'])))
    return 'detail is not a sentence'
  if ((status === 422) !== 'errors' in body) return 'errors without status 422, or status 422 without errors'
  if (status === 401 && headers['www-authenticate'] === undefined) return '401 without WWW-Authenticate'
  if (status === 405 && headers['allow'] === undefined) return '405 without Allow'
  if ((status === 429 || status === 503) && headers['retry-after'] === undefined) return `${status} without Retry-After`
  return internalErrorPattern.test(text) ? 'internalErrorPattern in the message' : undefined
}
