/** Responds to requests that match no route: 405 if the path has routes for other methods, otherwise 404. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { notFound, Problem } from '../lib/problem.ts'
import { anyone } from './access.ts'
import { sendProblem } from './errors.ts'
import { prefersHtml } from './html-page.ts'

interface RegisteredPath {
  pattern: RegExp
  methods: Set<string>
}

const isPattern = (url: string) => /[:*]/.test(url)

/** A parameter can have its pattern in parentheses. */
function parameterPattern(part: string): string {
  return /\(\^?(.*?)\$?\)$/.exec(part)?.[1] ?? '[^/]+'
}

function pathPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? parameterPattern(part) : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')
  return new RegExp(`^${source}$`)
}

function methodNotAllowed(methods: Iterable<string>): Problem {
  const allow = [...methods].sort().join(', ')
  return new Problem('method_not_allowed', `Allowed methods for this path: ${allow}.`, { headers: { allow } })
}

export interface UnknownPaths {
  /**
   * Call after all routes are registered. /api/monitors/bulk also matches /api/monitors/:id, so methods that only the latter
   * has must respond with 405.
   */
  closeShadowed(app: FastifyInstance): void
}

/** `sendNotFoundPage`: for browsers that open a path without a route. */
export function handleUnknownPaths(
  app: FastifyInstance,
  sendNotFoundPage?: (request: FastifyRequest, reply: FastifyReply) => unknown,
): UnknownPaths {
  const paths = new Map<string, RegisteredPath>()
  const closed = new Map<string, ReadonlySet<string>>()

  app.addHook('onRoute', (route) => {
    const path = paths.get(route.url) ?? { pattern: pathPattern(route.url), methods: new Set() }
    for (const method of [route.method].flat()) path.methods.add(method)
    paths.set(route.url, path)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const exact = closed.get(path)
    const matching = paths.values().filter(({ pattern }) => pattern.test(path))
    const allowed = exact ?? new Set(matching.flatMap(({ methods }) => methods))
    // The router is stricter than these patterns, for example about encoded slashes. If the method matches, it's a 404.
    if (allowed.size > 0 && !allowed.has(request.method)) return sendProblem(methodNotAllowed(allowed), request, reply)
    return sendNotFoundPage !== undefined && prefersHtml(request)
      ? sendNotFoundPage(request, reply)
      : sendProblem(notFound(), request, reply)
  })

  return {
    closeShadowed(routes) {
      for (const [url, { methods }] of [...paths].filter(([url]) => !isPattern(url))) {
        const shadows = [...paths].filter(([other, { pattern }]) => isPattern(other) && pattern.test(url))
        const others = new Set(shadows.flatMap(([, { methods }]) => [...methods])).difference(methods)
        if (others.size === 0) continue
        const allowed = new Set(methods)
        closed.set(url, allowed)
        routes.route({
          method: [...others] as HTTPMethods[],
          url,
          exposeHeadRoute: false,
          config: { access: anyone },
          schema: { hide: true },
          // In a hook, so that the body is not read.
          onRequest: async () => {
            throw methodNotAllowed(allowed)
          },
          handler: () => {},
        })
      }
    },
  }
}
