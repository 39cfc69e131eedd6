/** One line and one count for every answer. Queries and addresses stay out: they may hold tokens, and are people's. */
import type { FastifyInstance } from 'fastify'
import type { Services } from './services.ts'

export function logRequests(app: FastifyInstance, { metrics, log }: Services): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const ms = reply.elapsedTime
    metrics.countRequest(request.method, route, reply.statusCode, ms / 1000)
    const access = request.routeOptions.config.access
    const level = access?.who === 'anyone' && !access.limited ? 'debug' : 'info'
    log[level](
      {
        request: request.id,
        status: reply.statusCode,
        ms: Math.round(ms * 10) / 10,
        ...(request.caller && { user: request.caller.userId }),
        ...(request.caller?.kind === 'key' && { key: request.caller.keyId }),
      },
      `${request.method} ${request.url.split('?', 1)[0]}`,
    )
    done()
  })
}
