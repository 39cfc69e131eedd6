/** The baseline for the API: bare Fastify routes that return given bytes, or accept a body and acknowledge it. */
import Fastify from 'fastify'

const app = Fastify()
const text = process.env['BARE_BODY'] ?? '{}'
app.get('/bare', (_request, reply) => reply.type('application/json; charset=utf-8').send(text))
app.post('/bare', (_request, reply) => reply.code(202).send())
app.get('/readyz', () => ({ status: 'ok' }))
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
