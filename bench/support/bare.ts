/**
 * The baseline for status pages: a bare Fastify route that returns a given response, with the same headers and bytes. No server with Fastify
 * can return it with less work.
 */
import Fastify from 'fastify'

const { PORT, BARE_HEADERS = '{}', BARE_BODY_BASE64 = '' } = process.env
const headers = JSON.parse(BARE_HEADERS)
const body = Buffer.from(BARE_BODY_BASE64, 'base64')

const app = Fastify()
app.get('/bare', (_request, reply) => reply.headers(headers).send(body))
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
