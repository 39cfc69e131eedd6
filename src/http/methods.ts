/** A known path with another method: 405 and what it takes. */
import type { FastifyInstance } from 'fastify'
import { notFound, Problem } from '../lib/problem.ts'
import { sendProblem } from './errors.ts'

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')
  return new RegExp(`^${source}$`)
}

export function answerUnknownPaths(app: FastifyInstance): void {
  const paths = new Map<string, KnownPath>()

  app.addHook('onRoute', (route) => {
    const known = paths.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set() }
    for (const method of [route.method].flat()) known.methods.add(method)
    paths.set(route.url, known)
  })

  function findAllowed(path: string): Set<string> {
    const exact = paths.get(path)
    if (exact !== undefined) return exact.methods
    const fitting = paths.values().filter(({ pattern }) => pattern.test(path))
    return new Set(fitting.flatMap(({ methods }) => methods))
  }

  // /api/monitors/bulk is no monitor, also for methods that only a monitor takes.
  app.addHook('onRequest', async ({ method, routeOptions, url }) => {
    const path = pathOf(url)
    if (routeOptions.url === path || routeOptions.url === undefined) return
    const exact = paths.get(path)
    if (exact !== undefined && !exact.methods.has(method)) throw notAllowed(exact.methods)
  })

  app.setNotFoundHandler((request, reply) => {
    const allowed = findAllowed(pathOf(request.url))
    return sendProblem(allowed.size === 0 ? notFound() : notAllowed(allowed), request, reply)
  })
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? ''

function notAllowed(methods: ReadonlySet<string>): Problem {
  const allow = [...methods].sort().join(', ')
  return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
}
