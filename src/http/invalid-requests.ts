/**
 * Responds to requests that never reach Fastify: those that Node's HTTP parser rejects, and CONNECT requests. Node passes us only
 * their socket, so this file writes the whole response.
 */
import { randomUUID } from 'node:crypto'
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { notFound, Problem } from '../lib/problem.ts'
import { formatProblem } from './errors.ts'
import { logResponse } from './request-log.ts'
import type { RouteDeps } from './route-deps.ts'
import { methodNotAllowedProblem, type UnknownPaths } from './unknown-paths.ts'

type Deps = Pick<RouteDeps, 'log' | 'metrics'> & Pick<UnknownPaths, 'listAllowedMethods'>

/** `rawPacket` is the last chunk that the parser read, and `bytesParsed` the position of the error in it. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

/** The response in progress on a connection. Node offers no public way to find it. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null }

/** After an error response, a client has this long to read it and close the connection. */
const LINGER_MS = 1_000

/** A request line that is correct, except that Node's parser doesn't know its method. */
const unknownMethodPattern = /^[!#$%&'*+.^_`|~\w-]+ (\/\S*) HTTP\/1\.[01]\r?\n/

export function rejectInvalidRequests(server: Server, deps: Deps): void {
  // Fastify has its own listener, which responds in another format.
  server.removeAllListeners('clientError')
  server.on('clientError', (error: ParseError, socket: HttpSocket) => {
    const isDisconnected = error.code === 'ECONNRESET' || error.code === 'EPIPE' || !socket.writable
    // Bytes of an error response in the middle of another response would corrupt it.
    const response = socket._httpMessage
    const isMidResponse = response?.headersSent === true && !response.writableEnded
    if (isDisconnected || isMidResponse) socket.destroy()
    else respond(deps, socket, toParseProblem(deps, error, socket))
  })
  // Without this listener, Node closes the connection of a CONNECT request without a response.
  server.on('connect', (_request, socket: Socket) => respond(deps, socket, methodNotAllowedProblem([])))
}

function toParseProblem({ listAllowedMethods }: Deps, error: ParseError, socket: Socket): Problem {
  const { code, rawPacket } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request took too long to arrive. Send it again.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    // If this is the first chunk of the connection and has no line break, the request line is too long. Otherwise the headers are.
    const isUrl = rawPacket?.length === socket.bytesRead && !rawPacket.subarray(0, maxHeaderSize).includes('\n')
    return isUrl
      ? new Problem('uri_too_long', 'The URL is too long.')
      : new Problem('headers_too_large', 'The headers are too large.')
  }
  const path = code === 'HPE_INVALID_METHOD' ? unknownMethodPattern.exec(findRequestLine(error))?.[1] : undefined
  if (path !== undefined) {
    const methods = listAllowedMethods(path)
    return methods.length === 0 ? notFound() : methodNotAllowedProblem(methods)
  }
  return new Problem('malformed_request', 'The request is not valid HTTP.')
}

/** Returns the text that begins with the line of the error. The same chunk can contain earlier requests. */
function findRequestLine({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParseError): string {
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return rawPacket.toString('latin1', start)
}

function respond(deps: Deps, socket: Socket, problem: Problem): void {
  const requestId = randomUUID()
  const { status, text } = formatProblem(problem, requestId)
  const headers = {
    ...problem.headers,
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headerLines.join('')}\r\n${text}`)
  // Closing immediately could discard the response before the client reads it. A client that stays connected is cut off.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  logResponse(deps, 'info', { id: requestId, method: 'INVALID', url: '' }, { route: 'unknown', status, ms: 0 })
}
