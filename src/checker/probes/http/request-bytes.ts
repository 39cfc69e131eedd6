/** Writes a request as the bytes to send. */
import type { HttpRequest } from './redirects.ts'

/** Importing node:http would also load its WebSocket client, which needs 5 MB of memory. */
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

type Header = readonly [name: string, value: string]

const defaultHeaders: readonly Header[] = [
  ['User-Agent', 'Belfry'],
  ['Accept', '*/*'],
  // Most bodies are small, so compressing them would cost both sides more than it saves.
  ['Accept-Encoding', 'identity'],
  ['Connection', 'close'],
]
const defaultHeaderLines = formatHeaders(defaultHeaders)

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])

/** Returns a request without a body as a string in Latin-1, because a socket sends a string faster than a buffer. */
export function createRequestBytes(request: HttpRequest): string | Buffer {
  if (request.body === null) return createHead(request, methodsWithBody.has(request.method) ? 0 : undefined)
  const body = Buffer.from(request.body)
  return Buffer.concat([Buffer.from(createHead(request, body.length), 'latin1'), body])
}

function createHead(request: HttpRequest, contentLength: number | undefined): string {
  const { url, method } = request
  const lengthLine = contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${createHeaderLines(request)}${lengthLine}\r\n`
}

function createHeaderLines(request: HttpRequest): string {
  const { url, cookies } = request
  const customHeaders = Object.entries(cookies.length === 0 ? request.headers : addCookies(request))
  if (customHeaders.length === 0) return `Host: ${url.host}\r\n${defaultHeaderLines}`
  for (const [name, value] of customHeaders) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  return formatHeaders(mergeHeaders(url.host, customHeaders))
}

function formatHeaders(headers: readonly Header[]): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}

function mergeHeaders(host: string, customHeaders: readonly Header[]): Header[] {
  const customNames = new Set(customHeaders.map(([name]) => name.toLowerCase()))
  const defaults = [['Host', host] as const, ...defaultHeaders].filter(([name]) => !customNames.has(name.toLowerCase()))
  return [...defaults, ...customHeaders]
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
