/** Compares our HTTP client with the one of Node: random responses, many of them invalid, must have the same result in both. */
import http, { type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { Exchange } from '../../src/checker/probes/http/exchange.ts'
import { createInitialRequest } from '../../src/checker/probes/http/redirects.ts'
import type { ResponseHead } from '../../src/checker/probes/http/response-head.ts'
import { defaultHttpSettings } from '../../src/monitors/http-schema.ts'
import { createRandomResponse, type RandomResponse } from './random-response.ts'

interface Outcome {
  status: number | undefined
  headers: unknown
  body: string
  /** Where the response was rejected or the connection broke. */
  end: 'complete' | 'failed in the head' | 'failed in the body'
}

/** A connection on which the parts of a response arrive, each in an event of its own. */
class ScriptedConnection extends Duplex {
  constructor(response: RandomResponse) {
    super({ read() {}, write: (_chunk, _encoding, callback) => callback() })
    const parts = [...response.parts]
    const sendNext = () => {
      const part = parts.shift()
      if (part !== undefined) this.push(part)
      else if (response.isReset) this.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
      else this.push(null)
      if (part !== undefined && !this.destroyed) setImmediate(sendNext)
    }
    setImmediate(sendNext)
  }
}

function requestWithNode(response: RandomResponse): Promise<Outcome> {
  return new Promise((resolve) => {
    const connection = new ScriptedConnection(response)
    let message: IncomingMessage | undefined
    let body = ''
    const report = (end: Outcome['end']) => {
      connection.destroy()
      const { location, 'set-cookie': setCookies, ...headers } = message?.headers ?? {}
      const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers
      resolve({ status: message?.statusCode, headers: [location, setCookies, type, encoding, length], body, end })
    }
    const handleError = () => {
      if (message === undefined) report('failed in the head')
      else if (!message.complete) report('failed in the body')
    }
    const handleResponse = (newMessage: IncomingMessage) => {
      message = newMessage
      if (message.statusCode === 101) report('complete')
      message.on('data', (part: Buffer) => (body += part.toString('latin1')))
      message.on('end', () => report('complete'))
      message.on('error', handleError)
    }
    const { method } = response
    // The type demands a socket, but the client works with every stream.
    const request = http.request({ createConnection: () => connection as Socket, method, maxHeaderSize: 65_536 })
    request.on('response', handleResponse).on('upgrade', handleResponse).on('error', handleError).end()
  })
}

const target = {
  type: 'http',
  url: 'http://shop.test/',
  teamId: 1,
  timeoutMs: 1_000,
  http: defaultHttpSettings,
} as const

function requestWithExchange(response: RandomResponse): Promise<Outcome> {
  return new Promise((resolve) => {
    const connection = new ScriptedConnection(response)
    let head: ResponseHead | undefined
    let body = ''
    const report = (end: Outcome['end']) => {
      connection.destroy()
      const { status, location, setCookies, contentType, contentEncoding, contentLength } = head ?? {}
      resolve({ status, headers: [location, setCookies, contentType, contentEncoding, contentLength], body, end })
    }
    const request = { ...createInitialRequest(target), method: response.method }
    new Exchange(connection, request, {
      onHead: (newHead) => {
        head = newHead
      },
      onBody: (part) => {
        body += part.toString('latin1')
      },
      onEnd: () => report('complete'),
      onError: () => report(head === undefined ? 'failed in the head' : 'failed in the body'),
    })
  })
}

/** Node reports an invalid chunk before the valid chunks that arrived with it, so only complete bodies are compared. */
const normalize = (outcome: Outcome) => (outcome.end === 'complete' ? outcome : { ...outcome, body: '' })

const describeParts = ({ method, parts }: RandomResponse) =>
  `${method}: ${JSON.stringify(parts.map((part) => part.toString('latin1')))}`

it.each([1, 2, 3, 4])('has the same result as node:http for random responses (seed %i)', async (seed) => {
  const ends: string[] = []
  for (const response of createRandomResponse(seed, 1_000)) {
    const [expected, actual] = await Promise.all([requestWithNode(response), requestWithExchange(response)])
    expect(normalize(actual), describeParts(response)).toEqual(normalize(expected))
    ends.push(actual.end)
  }
  // The comparison says little unless many responses are complete, and many are not.
  for (const end of ['complete', 'failed in the head', 'failed in the body']) {
    expect(ends.filter((other) => other === end).length).toBeGreaterThan(20)
  }
})
