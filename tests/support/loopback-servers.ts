/** Real servers on loopback (all of 127.0.0.0/8 is reachable), and a certificate for them. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { ResolvedAddress } from '../../src/outgoing/guard.ts'

export interface LoopbackServer {
  port: number
  /** The local addresses of the connections that the server received. */
  contactedAddresses: string[]
}

/** By default, servers listen on every address of this machine, so that tests can reach them by any address. */
export function serveHttp(
  handleRequest: RequestListener = (_, response) => response.end('hello'),
  host?: string,
): Promise<LoopbackServer> {
  return listen(createServer(handleRequest), host)
}

export function serveTcp(onConnection: (socket: Socket) => void, host?: string): Promise<LoopbackServer> {
  return listen(createTcpServer(onConnection), host)
}

export function serveHttps(handleRequest?: RequestListener): Promise<LoopbackServer> {
  const options = { key: testPrivateKey, cert: testCertificate }
  if (handleRequest !== undefined) return listen(createHttpsServer(options, handleRequest))
  return listen(
    createTlsServer(options, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'))
    }),
  )
}

async function listen(server: Server, host?: string): Promise<LoopbackServer> {
  const contactedAddresses: string[] = []
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    contactedAddresses.push(socket.localAddress?.replace('::ffff:', '') ?? '')
    socket.on('error', () => {})
    sockets.add(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, contactedAddresses }
}

/** Returns a port that is closed on every address except 127.0.0.9, where a server keeps it reserved for the test. */
export async function findClosedPort(): Promise<number> {
  return (await serveTcp(() => {}, '127.0.0.9')).port
}

export function toIpv4Addresses(...addresses: string[]): ResolvedAddress[] {
  return addresses.map((address) => ({ address, family: 4 }))
}

/** A self-signed certificate for belfry.test, valid for a hundred years, for tests only. */
export const testCertificate = `
-----BEGIN CERTIFICATE-----
MIIBZjCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtiZWxmcnku
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLYmVsZnJ5LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARC796IGXfN
QahbmDBNNro0+896QnTJhkeja46VRosxXXZ9Ldh7251jAc3tuVkkE7zSQkU/Fuez
y3RQedLmQ1T1o0owSDAWBgNVHREEDzANggtiZWxmcnkudGVzdDAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBQ1v+0xYcWSoBS8VGQVwY0j2UtIZzAKBggqhkjOPQQD
AgNHADBEAiACPOOoQRxgK3gVpuolCRgKdNkVtPCZ+11wnOb6++s8lAIgSkdEJFq8
pNGkaErUGelFltVzzvj9LpZ9xsPV5sUplmY=
-----END CERTIFICATE-----
`

export const testPrivateKey = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQr4HIPnmgoq01ma2
Qb753k6SewwxPesEUWD53I2aFZihRANCAARC796IGXfNQahbmDBNNro0+896QnTJ
hkeja46VRosxXXZ9Ldh7251jAc3tuVkkE7zSQkU/Fuezy3RQedLmQ1T1
-----END PRIVATE KEY-----
`
