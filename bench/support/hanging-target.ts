/** A target of checks that accepts connections and never responds. */
import { createServer } from 'node:net'

createServer((socket) => socket.on('error', () => {})).listen({
  port: Number(process.env['HANGING_PORT']),
  host: '127.0.0.1',
  backlog: 4_096,
})
// `startProcess` waits until this port responds.
createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'))
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
