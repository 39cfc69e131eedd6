/** Headers of every answer. */
import type { FastifyInstance } from 'fastify'
import { isSecure } from './origin.ts'
import type { Services } from './services.ts'

/** For answers that are data: a browser that opens one may load and run nothing. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function setHeaders(app: FastifyInstance, { config }: Services): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': dataPolicy,
    })
    if (isSecure(config, request)) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
