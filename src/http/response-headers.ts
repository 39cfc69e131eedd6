/** Adds headers to every response. */
import type { FastifyInstance } from 'fastify'
import { isSecure } from './origin.ts'
import type { RouteDeps } from './route-deps.ts'

/** The policy for data responses: a browser that opens one must not load, run or frame anything. HTML pages set their own policy. */
const dataContentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'"

export function addResponseHeaders(app: FastifyInstance, { config }: Pick<RouteDeps, 'config'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': dataContentSecurityPolicy,
    })
    if (isSecure(config, request)) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
