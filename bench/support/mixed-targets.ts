/**
 * The targets of all types of checks, in one process: HTTP, TCP and RDAP on one port, DNS over UDP on the same port, and TLS on the
 * next port. Pings and heartbeats need no target.
 */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:tls'
import { serverPrivateKey, validCertificate } from '../../tests/checker/certificates.ts'

const port = Number(process.env['PORT'])
const DNS_HEADER_BYTES = 12
/** Type, class, TTL, length and address of an A record, after a pointer to the name of the question. */
const addressRecord = Buffer.from([0xc0, DNS_HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7])
const registration = JSON.stringify({
  objectClassName: 'domain',
  ldhName: 'example.com',
  events: [{ eventAction: 'expiration', eventDate: '2099-01-01T00:00:00Z' }],
})

createServer((request, response) => response.end(request.url?.startsWith('/domain/') ? registration : 'ok')).listen({
  port,
  host: '127.0.0.1',
  backlog: 4_096,
})

const udp = createSocket('udp4')
udp.on('message', (query, { port, address }) => {
  const questionEnd = query.indexOf(0, DNS_HEADER_BYTES) + 5
  const head = Buffer.from(query.subarray(0, questionEnd))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(1, 6)
  head.writeUInt32BE(0, 8)
  udp.send(Buffer.concat([head, addressRecord]), port, address)
})
udp.bind(port, '127.0.0.1')

createTlsServer({ key: serverPrivateKey, cert: validCertificate }, (socket) => socket.on('error', () => {})).listen({
  port: port + 1,
  host: '127.0.0.1',
  backlog: 4_096,
})
process.on('SIGTERM', () => process.exit(0))
