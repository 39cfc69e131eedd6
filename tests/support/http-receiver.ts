/** A real HTTP server that stands for Slack, Telegram or an SMS service: keeps what it gets, answers what it is told. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Reply = (response: ServerResponse, request: ReceivedRequest) => void

export interface HttpReceiver {
  /** Without a path. */
  address: string
  received: ReceivedRequest[]
  /** How it answers from now on. */
  answer(reply: Reply): void
  /** Fewer words for the usual case. */
  answerWith(status: number, body: string | object, headers?: Record<string, string>): void
  close(): Promise<void>
}

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedRequest[] = []
  let reply: Reply = (response) => response.end('ok')
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
    received.push(one)
    reply(response, one)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      reply = next
    },
    answerWith: (status, body, headers = {}) => {
      reply = (response) =>
        response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
