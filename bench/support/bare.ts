/** The baseline for status pages: a bare Fastify route that returns given bytes. No server with Fastify can return them with less work. */
import Fastify from 'fastify'

const app = Fastify()
const body = Buffer.from(process.env['BARE_BODY_BASE64'] ?? '', 'base64')
app.get('/bare', (_request, reply) => reply.type('text/html; charset=utf-8').send(body))
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
