/** Servers that behave badly, each in its own way, and what is said of them. */
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expired, good, key } from '../checker/certificates.ts'
import { testCertificate, testKey } from '../support/loopback-servers.ts'

const DRIP_MS = 100
const head = 'HTTP/1.1 200 OK\r\n\r\n'
const piece = Buffer.alloc(64 * 1024, 'x')

export interface HostileTarget {
  /** Of the monitor. */
  fields: { url: string; http?: object }
  /** null: there is nothing wrong with it. */
  cause: string | null
  detail: RegExp
}

export interface HostileTargets {
  targets: Record<string, HostileTarget>
  /** How many bytes left here for each who asked for something endless, on average. */
  averageBytesSent(): number
  close(): Promise<void>
}

export async function startHostileTargets(): Promise<HostileTargets> {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let poured = 0
  let pours = 0

  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'))
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** For as long as somebody reads. */
  const pour: RequestListener = (_, response) => {
    pours++
    const more = () => {
      while (response.writable) {
        poured += piece.length
        if (!response.write(piece)) return
      }
    }
    response.on('drain', more)
    more()
  }

  const tcp = async (speak: (socket: Socket) => void) => `http://127.0.0.1:${await listen(createServer(speak))}/`
  const http = async (answer: RequestListener) => `http://127.0.0.1:${await listen(createHttpServer(answer))}/`
  const https = async (own: { key: string; cert: string }) =>
    `https://127.0.0.1:${await listen(createHttpsServer(own, (_, response) => response.end('hello')))}/`

  const silent = await tcp(() => {})
  const endless = await http(pour)
  const tenGigabytes = await http((request, response) => {
    response.setHeader('content-length', 10 * 1024 ** 3)
    pour(request, response)
  })
  const targets: Record<string, HostileTarget> = {
    hangs: { fields: { url: silent }, cause: 'timeout', detail: /^Response took longer than 3 s$/ },
    'hangs in its handshake': {
      fields: { url: silent.replace('http:', 'https:') },
      cause: 'timeout',
      detail: /^the TLS handshake with .* did not end within 3 s$/,
    },
    resets: {
      fields: { url: await tcp((socket) => socket.once('data', () => socket.resetAndDestroy())) },
      cause: 'connect',
      detail: /./,
    },
    drips: {
      fields: { url: await tcp((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Long: ', 0)) },
      cause: 'timeout',
      detail: /^Response took longer than 3 s$/,
    },
    'drips its body': {
      fields: {
        url: await tcp((socket) => drip(socket, head, head.length)),
        http: { keyword: 'Welcome' },
      },
      cause: 'timeout',
      detail: /^the answer did not end within 3 s$/,
    },
    'never ends': {
      fields: { url: endless, http: { keyword: 'Welcome' } },
      cause: 'keyword',
      detail: /^"Welcome" does not appear in the first MiB of the answer$/,
    },
    'sends 10 GB': { fields: { url: tenGigabytes }, cause: null, detail: /^$/ },
    'redirects for ever': {
      fields: { url: await http((_, response) => response.writeHead(302, { location: '/again' }).end()) },
      cause: 'redirect',
      detail: /^redirected more than 5 times$/,
    },
    'has an expired certificate': {
      fields: { url: await https({ key, cert: expired }) },
      cause: 'tls',
      detail: /^certificate expired \d+ days ago$/,
    },
    'has a certificate of its own': {
      fields: { url: await https({ key: testKey, cert: testCertificate }) },
      cause: 'tls',
      detail: /^certificate is self-signed$/,
    },
    'has a good certificate': { fields: { url: await https({ key, cert: good }) }, cause: null, detail: /^$/ },
  }

  return {
    targets,
    averageBytesSent: () => poured / pours,
    async close() {
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map((server) => server.listening && once(server, 'close')))
    },
  }
}

/** One byte at a time, and then x for ever. `atOnce`: so many come together at first. */
function drip(socket: Socket, text: string, atOnce: number): void {
  if (atOnce > 0) socket.write(text.slice(0, atOnce))
  let next = atOnce
  const timer = setInterval(() => socket.write(text[next++] ?? 'x'), DRIP_MS)
  socket.on('close', () => clearInterval(timer))
}
