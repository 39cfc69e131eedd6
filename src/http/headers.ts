/** Headers of every answer. */
import type { FastifyInstance } from 'fastify'
import { isSecure } from './origin.ts'
import type { RouteDeps } from './route-deps.ts'

/** For answers that are data: a browser that opens one may load and run nothing, nor show it in a frame. Pages have their own. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

export function setHeaders(app: FastifyInstance, { config }: RouteDeps): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': dataPolicy,
    })
    if (isSecure(config, request)) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
