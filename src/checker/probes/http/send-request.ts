/** Sends a request over an open connection. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpRequest } from './redirects.ts'

/** Importing node:http would also load its WebSocket client, which needs 5 MB of memory. */
const http = process.getBuiltinModule('node:http')

/** Some sites send more cookies and policies than Node's default of 16 KiB allows. */
const MAX_RESPONSE_HEADER_BYTES = 64 * 1024

const defaultHeaders = [
  ['User-Agent', 'Belfry'],
  ['Accept', '*/*'],
  // Most bodies are small, so compressing them would cost both sides more than it saves.
  ['Accept-Encoding', 'identity'],
  ['Connection', 'close'],
] as const
const flatDefaultHeaders = defaultHeaders.flat()

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])

interface Callbacks {
  onResponse(response: IncomingMessage): void
  onError(error: Error): void
}

export function sendRequest(socket: Socket, request: HttpRequest, { onResponse, onError }: Callbacks): void {
  const { url, method } = request
  const body = request.body === null ? undefined : Buffer.from(request.body)
  const outgoing = http.request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: buildHeaders(request, body),
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
  })
  outgoing.on('error', onError)
  outgoing.on('response', onResponse)
  // A server may switch protocols although the request did not ask for it. That counts as a response too.
  outgoing.on('upgrade', onResponse)
  outgoing.end(body)
}

/** Returns a flat list in which names and values alternate, because Node processes this format fastest. */
function buildHeaders(request: HttpRequest, body: Buffer | undefined): string[] {
  const { url, method, cookies } = request
  const customHeaders = Object.entries(cookies.length === 0 ? request.headers : addCookies(request))
  const list =
    customHeaders.length === 0 ? ['Host', url.host, ...flatDefaultHeaders] : mergeHeaders(url.host, customHeaders)
  if (body !== undefined || methodsWithBody.has(method)) list.push('Content-Length', String(body?.length ?? 0))
  return list
}

function mergeHeaders(host: string, customHeaders: [string, string][]): string[] {
  const customNames = new Set(customHeaders.map(([name]) => name.toLowerCase()))
  const defaults = [['Host', host] as const, ...defaultHeaders].filter(([name]) => !customNames.has(name.toLowerCase()))
  return [...defaults.flat(), ...customHeaders.flat()]
}

/** A cookie that the check received replaces one of the same name in the monitor's own Cookie header. */
function addCookies({ headers, cookies }: HttpRequest): Record<string, string> {
  const receivedNames = new Set(cookies.map(({ name }) => name))
  const [ownName = 'Cookie', ownValue = ''] = Object.entries(headers).find(([name]) => /^cookie$/i.test(name)) ?? []
  const ownCookies = ownValue.split(';').map((pair) => pair.trim())
  const keptCookies = ownCookies.filter((pair) => pair !== '' && !receivedNames.has(pair.split('=', 1)[0] as string))
  const receivedCookies = cookies.map(({ name, value }) => `${name}=${value}`)
  return { ...headers, [ownName]: [...keptCookies, ...receivedCookies].join('; ') }
}
