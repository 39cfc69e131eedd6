/** A known path with another method: 405 and what it takes. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { notFound, Problem } from '../lib/problem.ts'
import { anyone } from './access.ts'
import { sendProblem } from './errors.ts'
import { wantsPage } from './page.ts'

interface KnownPath {
  pattern: RegExp
  methods: Set<string>
}

const isPattern = (url: string) => /[:*]/.test(url)

/** A part may say in brackets what it takes. */
function kindOf(part: string): string {
  return /\(\^?(.*?)\$?\)$/.exec(part)?.[1] ?? '[^/]+'
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? kindOf(part) : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')
  return new RegExp(`^${source}$`)
}

function notAllowed(methods: Iterable<string>): Problem {
  const allow = [...methods].sort().join(', ')
  return new Problem('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } })
}

export interface KnownPaths {
  /** After all routes: a path such as /api/monitors/bulk is no monitor, also for methods that only a monitor takes. */
  closeShadowed(app: FastifyInstance): void
}

/** `showNothing`: to a person who goes to a path that is none. */
export function answerUnknownPaths(
  app: FastifyInstance,
  showNothing?: (request: FastifyRequest, reply: FastifyReply) => unknown,
): KnownPaths {
  const paths = new Map<string, KnownPath>()
  const closed = new Map<string, ReadonlySet<string>>()

  app.addHook('onRoute', (route) => {
    const known = paths.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set() }
    for (const method of [route.method].flat()) known.methods.add(method)
    paths.set(route.url, known)
  })

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const exact = closed.get(path)
    const fitting = paths.values().filter(({ pattern }) => pattern.test(path))
    const allowed = exact ?? new Set(fitting.flatMap(({ methods }) => methods))
    // The router reads a path more closely, an encoded slash for instance: whoever used the right method is at no path.
    if (allowed.size > 0 && !allowed.has(request.method)) return sendProblem(notAllowed(allowed), request, reply)
    return showNothing !== undefined && wantsPage(request)
      ? showNothing(request, reply)
      : sendProblem(notFound(), request, reply)
  })

  return {
    closeShadowed(routes) {
      for (const [url, { methods }] of [...paths].filter(([url]) => !isPattern(url))) {
        const shadows = [...paths].filter(([other, { pattern }]) => isPattern(other) && pattern.test(url))
        const others = new Set(shadows.flatMap(([, known]) => [...known.methods])).difference(methods)
        if (others.size === 0) continue
        const allowed = new Set(methods)
        closed.set(url, allowed)
        routes.route({
          method: [...others] as HTTPMethods[],
          url,
          exposeHeadRoute: false,
          config: { access: anyone },
          schema: { hide: true },
          // Before anything is read of a body.
          onRequest: async () => {
            throw notAllowed(allowed)
          },
          handler: () => {},
        })
      }
    },
  }
}
