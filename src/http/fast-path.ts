/**
 * Handles one route without Fastify, whose routing, hooks and replies take 10 µs: a sixth of the time for an analytics event.
 * The normal route stays registered. It appears in the OpenAPI document and handles other forms of the URL, for example with a query.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Problem } from '../lib/problem.ts'
import { MAX_BODY_BYTES } from './body-parser.ts'
import { formatProblem, toProblem } from './errors.ts'
import { logResponse } from './request-log.ts'
import { findRuleViolation } from './request-rules.ts'
import type { RouteDeps } from './route-deps.ts'
import { urlPrefixOf } from './url-prefix.ts'

/** The handler sends the response itself. If it rejects, the client gets a problem response. */
export type FastPathHandler = (
  body: string,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
) => Promise<void>

export function addFastPath(
  server: Server,
  {
    method,
    url,
    headers,
    handle,
  }: { method: string; url: string; headers: Record<string, string>; handle: FastPathHandler },
  deps: Pick<RouteDeps, 'config' | 'log' | 'metrics'>,
): void {
  const prefixedUrl = urlPrefixOf(deps.config) + url
  const [fastifyListener] = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isFastPath = (request.url === url || request.url === prefixedUrl) && request.method === method
    // Fastify's hooks respond to requests that violate a rule.
    if (!isFastPath || findRuleViolation(request) !== undefined) return fastifyListener?.(request, response)
    const startedAt = performance.now()
    const requestId = randomUUID()
    readBody(request)
      .then((body) => handle(body, request, response, requestId))
      .catch((error) => {
        const problem = toProblem(error)
        if (problem.code === 'internal')
          deps.log.error({ err: problem.cause ?? problem, request: requestId }, problem.message)
        sendProblemDirectly(response, problem, requestId, headers)
      })
      .finally(() => {
        const ms = performance.now() - startedAt
        logResponse(deps, 'debug', { id: requestId, method, url }, { route: url, status: response.statusCode, ms })
      })
    return undefined
  })
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= MAX_BODY_BYTES) chunks.push(chunk)
      else reject(new Problem('too_large', 'The body is larger than 1 MiB.', { headers: { connection: 'close' } }))
    })
    request.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()))
    request.on('error', reject)
  })
}

function sendProblemDirectly(
  response: ServerResponse,
  problem: Problem,
  requestId: string,
  headers: Record<string, string>,
): void {
  if (response.headersSent) return
  const { status, text } = formatProblem(problem, requestId)
  response
    .writeHead(status, {
      ...headers,
      ...problem.headers,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text)
}
