/** Adds headers to every response. */
import type { FastifyInstance } from 'fastify'
import { isSecure } from './origin.ts'
import type { RouteDeps } from './route-deps.ts'

/** The policies for data responses: a browser that opens one must not load, run or frame anything. HTML pages set their own policies. */
const dataPolicies = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export function addResponseHeaders(app: FastifyInstance, { config }: Pick<RouteDeps, 'config'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      ...dataPolicies,
    })
    if (isSecure(config, request)) reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })

  // A browser replaces headers of its stored response with those of a 304 response. The policies above would break a stored page.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.statusCode === 304) {
      for (const [name, policy] of Object.entries(dataPolicies))
        if (reply.getHeader(name) === policy) reply.removeHeader(name)
    }
    done()
  })
}
