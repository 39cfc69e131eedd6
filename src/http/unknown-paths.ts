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

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

const isPattern = (url: string) => /[:*]/.test(url)

/** A route parameter can have a pattern in parentheses, for example `:id(^\d+$)`. */
function toParameterPattern(part: string): string {
  return /\(\^?(.*?)\$?\)$/.exec(part)?.[1] ?? '[^/]+'
}

function toPathPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? toParameterPattern(part) : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')
  return new RegExp(`^${source}$`)
}

export function methodNotAllowedProblem(methods: Iterable<string>): Problem {
  const allow = [...methods].sort().join(', ')
  return new Problem('method_not_allowed', `Allowed methods for this path: ${allow || 'none'}.`, { headers: { allow } })
}

export interface UnknownPaths {
  /** Returns the methods for which the path has a route. The path may be followed by a query. */
  listAllowedMethods(url: string): string[]
  /**
   * The fixed path /api/monitors/bulk also matches the pattern /api/monitors/:id, so DELETE /api/monitors/bulk would reach the
   * route that deletes a monitor. This makes such requests fail with 405. Call it after all routes are registered.
   */
  rejectShadowedMethods(app: FastifyInstance): void
}

/** `sendNotFoundPage` responds to browsers that open a path without a route. */
export function handleUnknownPaths(
  app: FastifyInstance,
  sendNotFoundPage?: (request: FastifyRequest, reply: FastifyReply) => unknown,
): UnknownPaths {
  const paths = new Map<string, RegisteredPath>()
  const methodsByFixedPath = new Map<string, ReadonlySet<string>>()

  app.addHook('onRoute', (route) => {
    const path = paths.get(route.url) ?? { pattern: toPathPattern(route.url), methods: new Set() }
    for (const method of [route.method].flat()) path.methods.add(method)
    paths.set(route.url, path)
  })

  function listAllowedMethods(url: string): string[] {
    const path = url.split('?', 1)[0] ?? ''
    const matchingPaths = paths.values().filter(({ pattern }) => pattern.test(path))
    return [...(methodsByFixedPath.get(path) ?? new Set(matchingPaths.flatMap(({ methods }) => methods)))]
  }

  function createProblem({ method, url }: FastifyRequest): Problem {
    const allowedMethods = listAllowedMethods(url)
    // The router is stricter than our patterns, for example about encoded slashes. So a request can get here even if its path
    // matches a pattern that has a route for its method. The method is not the problem then, and the response is 404.
    return allowedMethods.length > 0 && !allowedMethods.includes(method)
      ? methodNotAllowedProblem(allowedMethods)
      : notFound()
  }

  // Without this hook, Fastify would read and parse the body before it calls the handler below.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(request.is404 && !isRead(request) ? createProblem(request) : null)
  })

  app.setNotFoundHandler((request, reply) => {
    const problem = createProblem(request)
    return problem.code === 'not_found' && sendNotFoundPage !== undefined && prefersHtml(request)
      ? sendNotFoundPage(request, reply)
      : sendProblem(problem, request, reply)
  })

  return {
    listAllowedMethods,
    rejectShadowedMethods(routes) {
      const parameterPaths = [...paths].filter(([url]) => isPattern(url)).map(([, path]) => path)
      for (const [url, { methods }] of [...paths].filter(([url]) => !isPattern(url))) {
        const matchingPaths = parameterPaths.filter(({ pattern }) => pattern.test(url))
        const patternOnlyMethods = new Set(matchingPaths.flatMap(({ methods }) => [...methods])).difference(methods)
        if (patternOnlyMethods.size === 0) continue
        const allowedMethods = new Set(methods)
        methodsByFixedPath.set(url, allowedMethods)
        routes.route({
          method: [...patternOnlyMethods] as HTTPMethods[],
          url,
          exposeHeadRoute: false,
          config: { access: anyone },
          schema: { hide: true },
          // This throws in a hook, because Fastify would read the body before calling the handler.
          onRequest: async () => {
            throw methodNotAllowedProblem(allowedMethods)
          },
          handler: () => {},
        })
      }
    },
  }
}
