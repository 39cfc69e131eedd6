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

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = new Set<string>()
    for (const { pattern, methods } of paths.values()) {
      if (pattern.test(path)) for (const method of methods) allowed.add(method)
    }
    if (allowed.size === 0) return sendProblem(notFound(), request, reply)
    const allow = [...allowed].sort().join(', ')
    const problem = new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
    return sendProblem(problem, request, reply)
  })
}
