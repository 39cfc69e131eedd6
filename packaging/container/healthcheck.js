// The image's health check: exits with 0 if the server responds. It imports nothing of Belfry, so that it starts fast.
import { get } from 'node:http'

const { HOST = '0.0.0.0', PORT = '3000' } = process.env
// A server that listens on all addresses can be reached through loopback.
const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }
const request = get(
  { host: loopback[HOST] ?? HOST, port: PORT, path: '/healthz', timeout: 4_000 },
  ({ statusCode }) => {
    process.exit(statusCode === 200 ? 0 : 1)
  },
)
request.on('timeout', () => request.destroy(new Error('no response after 4 s')))
request.on('error', ({ message }) => {
  process.stderr.write(`Belfry doesn't respond: ${message}\n`)
  process.exit(1)
})
