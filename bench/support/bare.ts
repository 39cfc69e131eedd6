/** The baseline for the API: bare Fastify routes that return given bytes, or accept a body and acknowledge it. */
import Fastify from 'fastify'

const app = Fastify()
const { BARE_BODY: text = '{}', BARE_BODY_BASE64: base64 } = process.env
const bytes = base64 === undefined ? text : Buffer.from(base64, 'base64')
app.get('/bare', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes))
app.post('/bare', (_request, reply) => reply.code(202).send())
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
