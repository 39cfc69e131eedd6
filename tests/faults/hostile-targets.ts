/** Servers that misbehave in different ways, each with the result that its checks must have. */
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expiredCertificate, serverPrivateKey, validCertificate } from '../checker/certificates.ts'
import { testCertificate, testPrivateKey } from '../support/loopback-servers.ts'

const BYTE_INTERVAL_MS = 100
const responseHead = 'HTTP/1.1 200 OK\r\n\r\n'
const chunk = Buffer.alloc(64 * 1024, 'x')

export interface HostileTarget {
  /** Fields of the monitor. */
  fields: { url: string; http?: object }
  /** The cause that checks must report, or null if they must succeed. */
  cause: string | null
  detail: RegExp
}

export interface HostileTargets {
  targets: Record<string, HostileTarget>
  /** How many bytes an endless response sent on average before the check disconnected. */
  getAverageBytesSent(): number
  close(): Promise<void>
}

export async function startHostileTargets(): Promise<HostileTargets> {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let bytesSent = 0
  let endlessResponseCount = 0

  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'))
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Sends data until the client disconnects. */
  const sendEndlessly: RequestListener = (_, response) => {
    endlessResponseCount++
    const sendMore = () => {
      while (response.writable) {
        bytesSent += chunk.length
        if (!response.write(chunk)) return
      }
    }
    response.on('drain', sendMore)
    sendMore()
  }

  const serveTcp = async (onConnection: (socket: Socket) => void) =>
    `http://127.0.0.1:${await listen(createServer(onConnection))}/`
  const serveHttp = async (onRequest: RequestListener) =>
    `http://127.0.0.1:${await listen(createHttpServer(onRequest))}/`
  const serveHttps = async (identity: { key: string; cert: string }) =>
    `https://127.0.0.1:${await listen(createHttpsServer(identity, (_, response) => response.end('hello')))}/`

  const silentUrl = await serveTcp(() => {})
  const endlessUrl = await serveHttp(sendEndlessly)
  const tenGigabytesUrl = await serveHttp((request, response) => {
    response.setHeader('content-length', 10 * 1024 ** 3)
    sendEndlessly(request, response)
  })
  const targets: Record<string, HostileTarget> = {
    'never responds': { fields: { url: silentUrl }, cause: 'timeout', detail: /^Response took longer than 3 s$/ },
    'hangs during the TLS handshake': {
      fields: { url: silentUrl.replace('http:', 'https:') },
      cause: 'timeout',
      detail: /^TLS handshake with .* took longer than 3 s$/,
    },
    'resets the connection': {
      fields: { url: await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy())) },
      cause: 'connect',
      detail: /./,
    },
    'sends headers slowly': {
      fields: { url: await serveTcp((socket) => sendSlowly(socket, 'HTTP/1.1 200 OK\r\nX-Long: ', 0)) },
      cause: 'timeout',
      detail: /^Response took longer than 3 s$/,
    },
    'sends its body slowly': {
      fields: { url: await serveTcp((socket) => sendSlowly(socket, responseHead, responseHead.length)) },
      cause: 'timeout',
      detail: /^Response body took longer than 3 s$/,
    },
    'sends an endless body': {
      fields: { url: endlessUrl, http: { keyword: 'Welcome' } },
      cause: 'keyword',
      detail: /^The first MiB of the response does not contain "Welcome"$/,
    },
    'sends 10 GB': { fields: { url: tenGigabytesUrl }, cause: null, detail: /^$/ },
    'closes the connection within the body': {
      fields: {
        url: await serveTcp((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello')),
      },
      cause: 'body',
      detail: /^Response body ended after 5 of 100 bytes$/,
    },
    'redirects forever': {
      fields: { url: await serveHttp((_, response) => response.writeHead(302, { location: '/again' }).end()) },
      cause: 'redirect',
      detail: /^Redirected more than 5 times$/,
    },
    'has an expired certificate': {
      fields: { url: await serveHttps({ key: serverPrivateKey, cert: expiredCertificate }) },
      cause: 'tls',
      detail: /^Certificate expired on \d+ [A-Z][a-z]+ \d{4}$/,
    },
    'has a self-signed certificate': {
      fields: { url: await serveHttps({ key: testPrivateKey, cert: testCertificate }) },
      cause: 'tls',
      detail: /^Certificate is self-signed$/,
    },
    'has a valid certificate': {
      fields: { url: await serveHttps({ key: serverPrivateKey, cert: validCertificate }) },
      cause: null,
      detail: /^$/,
    },
  }

  return {
    targets,
    getAverageBytesSent: () => bytesSent / endlessResponseCount,
    async close() {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => server.listening && once(server, 'close')))
    },
  }
}

/** Sends the first `burstLength` characters together, the rest one at a time, and then `x` forever. */
function sendSlowly(socket: Socket, text: string, burstLength: number): void {
  if (burstLength > 0) socket.write(text.slice(0, burstLength))
  let position = burstLength
  const timer = setInterval(() => socket.write(text[position++] ?? 'x'), BYTE_INTERVAL_MS)
  socket.on('close', () => clearInterval(timer))
}
