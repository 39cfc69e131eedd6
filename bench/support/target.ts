/** The target of checks: a minimal HTTP server that takes little CPU time. */
import { createServer } from 'node:net'

const response = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'

const server = createServer((socket) => {
  socket.once('data', () => socket.end(response))
  socket.on('error', () => {})
})
server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4_096 })
process.on('SIGTERM', () => process.exit(0))
