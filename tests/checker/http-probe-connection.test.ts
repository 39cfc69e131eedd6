/** How a connection can end, and what hostile servers can do with it. */
import type { Socket } from 'node:net'
import { createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { serveTcp } from '../support/loopback-servers.ts'
import { serverPrivateKey, validCertificate } from './certificates.ts'
import { createCheck, untilClosed } from './probe-support.ts'

const OK = 'HTTP/1.1 200 OK\r\n'

async function serve(onRequest: (socket: Socket) => void) {
  const sockets: Socket[] = []
  const { port } = await serveTcp((socket) => {
    sockets.push(socket)
    socket.once('data', () => onRequest(socket))
  })
  return { url: `http://127.0.0.1:${port}/`, endpoint: `127.0.0.1:${port}`, sockets }
}

/** Starts a TLS server that ends its TCP connection after the response, without saying so in TLS. */
async function serveAbruptTls(response: string, end = (socket: Socket) => socket.destroy()): Promise<string> {
  const tlsServer = createServer({ key: serverPrivateKey, cert: validCertificate })
  const { port } = await serveTcp((socket) => {
    tlsServer.once('secureConnection', (tlsSocket) => {
      tlsSocket.on('error', () => {})
      tlsSocket.once('data', () => tlsSocket.write(response, () => end(socket)))
    })
    tlsServer.emit('connection', socket)
  })
  return `https://127.0.0.1:${port}/`
}

describe('a connection', () => {
  it.each([
    ['closed', (socket: Socket) => socket.end(), 'Connection closed by'],
    ['reset', (socket: Socket) => socket.resetAndDestroy(), 'Connection reset by'],
  ])('that is %s within the head is a failure', async (_, end, detail) => {
    for (const part of ['HTTP/1.', OK, `${OK}Content-Le`]) {
      const { url, endpoint } = await serve((socket) => socket.write(part, () => end(socket)))
      expect(await createCheck()(url)).toMatchObject({
        failure: { cause: 'connect', detail: `${detail} ${endpoint}` },
        httpStatus: null,
        responded: false,
      })
    }
  })

  it('over TLS may end without notice if the response is complete', async () => {
    const check = createCheck()
    for (const headers of ['Content-Length: 5\r\n', ''])
      expect((await check(await serveAbruptTls(`${OK}${headers}\r\nhello`), { keyword: 'hello' })).failure).toBeNull()
    expect((await check(await serveAbruptTls(`${OK}Content-Length: 9\r\n\r\nhello`))).failure).toEqual({
      cause: 'body',
      detail: 'Response body ended after 5 of 9 bytes',
    })
  })

  it('over TLS that is reset within the body is a failure', async () => {
    for (const headers of ['Content-Length: 9\r\n', '']) {
      const url = await serveAbruptTls(`${OK}${headers}\r\nhello`, (socket) => socket.resetAndDestroy())
      expect(await createCheck()(url)).toMatchObject({ failure: { cause: 'body' }, httpStatus: 200 })
    }
  })

  it('may bring the response before the request was sent', async () => {
    const { port } = await serveTcp((socket) => socket.write(`${OK}Content-Length: 5\r\n\r\nhello`))
    const body = 'ü'.repeat(65_536)
    expect(await createCheck()(`http://127.0.0.1:${port}/`, { method: 'POST', body })).toMatchObject({
      failure: null,
      httpStatus: 200,
    })
  })

  it.each([
    ['a complete response', `${OK}Content-Length: 5\r\n\r\nhello`, {}],
    ['a failure', 'HTTP/1.1 500 Oh\r\nContent-Length: 5\r\n\r\n', {}],
    ['an invalid response', 'nonsense\r\n', {}],
    ['an invalid body', `${OK}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, {}],
    ['a redirect that is not followed', 'HTTP/1.1 302 Found\r\n\r\n', {}],
    ['a response to HEAD', `${OK}Content-Length: 5\r\n\r\n`, { method: 'HEAD' as const }],
  ])('is closed after %s, even if the server keeps it open', async (_, response, settings) => {
    const { url, sockets } = await serve((socket) => socket.write(response))
    await createCheck()(url, settings)
    await untilClosed(sockets[0])
  })
})

describe('an endless response', () => {
  const tooLong = { cause: 'connect', detail: 'Response headers are too long' }
  const invalid = (code: string) => ({ cause: 'body', detail: `Response body is not valid HTTP (${code})` })

  it.each([
    ['of headers', OK, 'X: y\r\n', tooLong],
    ['of informational responses', '', 'HTTP/1.1 100 Continue\r\n\r\n', tooLong],
    ['of line breaks', '', '\r\n', tooLong],
    [
      'of chunk extensions',
      `${OK}Transfer-Encoding: chunked\r\n\r\n5`,
      ';a=b',
      invalid('HPE_CHUNK_EXTENSIONS_OVERFLOW'),
    ],
    ['of trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X: y\r\n', invalid('HPE_HEADER_OVERFLOW')],
  ])('%s is rejected, and the connection is closed', async (_, beginning, repeatedPart, failure) => {
    const { url, sockets } = await serve((socket) => {
      const part = repeatedPart.repeat(1_000)
      const sendMore = () => {
        while (socket.writable && socket.write(part));
      }
      socket.write(beginning)
      socket.on('drain', sendMore)
      sendMore()
    })
    expect((await createCheck()(url)).failure).toEqual(failure)
    await untilClosed(sockets[0])
  })
})
