/** Sends raw bytes, for requests that no HTTP client would send. */
import { connect } from 'node:net'
import { expect } from 'vitest'
import type { TestServer } from './server.ts'

/** Returns everything that the server sends before it closes the connection. */
export function sendRaw(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    let receivedText = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      receivedText += chunk
    })
    socket.on('close', () => resolve(receivedText))
    socket.on('error', reject)
  })
}

export interface RawResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  body: any
}

export function parseResponse(text: string): RawResponse {
  const headEnd = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...headerLines] = text.slice(0, headEnd).split('\r\n')
  const headers = new Headers(headerLines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const body = text.slice(headEnd + 4)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]),
    headers,
    body: /json/.test(headers.get('content-type') ?? '') ? JSON.parse(body) : body,
  }
}

/** Expects a problem response that the server has logged under its request ID. */
export function expectLoggedProblem(
  server: TestServer,
  { status, headers, body }: RawResponse,
  expectedStatus: number,
  code: string,
): void {
  expect({ status, code: body.code }).toEqual({ status: expectedStatus, code })
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-request-id')).toBe(body.request_id)
  expect(server.logLines.some((line) => line.includes(body.request_id) && line.includes(`"status":${status}`))).toBe(
    true,
  )
}
