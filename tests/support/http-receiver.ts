/** A real HTTP server that replaces Slack, Telegram or an SMS service. It records requests and responds as configured. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Responder = (response: ServerResponse, request: ReceivedRequest) => void

export interface HttpReceiver {
  /** URL without a path. */
  address: string
  received: ReceivedRequest[]
  /** Sets the function that responds to requests from now on. */
  handleWith(responder: Responder): void
  /** Sets a fixed response. */
  respondWith(status: number, body: string | object, headers?: Record<string, string>): void
  close(): Promise<void>
}

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = []
  let respond: Responder = (response) => response.end('ok')
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const receivedRequest = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    received.push(receivedRequest)
    respond(response, receivedRequest)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    handleWith: (responder) => {
      respond = responder
    },
    respondWith: (status, body, headers = {}) => {
      respond = (response) =>
        response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
