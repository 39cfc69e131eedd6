/** One line and one count for every answer. Queries and addresses stay out: they may hold tokens, and are people's. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { writeLogLine } from '../lib/log.ts'
import type { RouteDeps } from './route-deps.ts'

type Logged = Pick<FastifyRequest, 'id' | 'method' | 'url'> & { caller?: FastifyRequest['caller'] }

export function logRequests(app: FastifyInstance, services: RouteDeps): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = 'unknown' } = request.routeOptions
    const level = config.access?.who === 'anyone' && !config.access.limited ? 'debug' : 'info'
    logAnswer(services, level, request, { route: url, status: reply.statusCode, ms: reply.elapsedTime })
    done()
  })
}

export function logAnswer(
  { metrics, log }: Pick<RouteDeps, 'log' | 'metrics'>,
  level: 'debug' | 'info',
  request: Logged,
  { route, status, ms }: { route: string; status: number; ms: number },
): void {
  metrics.countRequest(request.method, route, status, ms / 1000)
  if (log.isLevelEnabled(level)) writeLogLine(log, lineOf(level, request, status, ms))
}

function lineOf(level: string, request: Logged, status: number, ms: number): string {
  const { caller, id, method, url } = request
  const who =
    caller === undefined ? '' : `,"user":${caller.userId}${caller.kind === 'key' ? `,"key":${caller.keyId}` : ''}`
  const what = JSON.stringify(`${method} ${url.split('?', 1)[0]}`)
  const rounded = Math.round(ms * 10) / 10
  return `{"level":"${level}","time":"${new Date().toISOString()}","request":"${id}","status":${status},"ms":${rounded}${who},"msg":${what}}\n`
}
