/**
 * Logs and counts every response. The log contains neither query strings nor tokens in paths, because they are secret.
 * It contains no IP addresses, because they are personal data.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hideSecretInPath } from '../config/reserved-paths.ts'
import { writeLogLine } from '../lib/log.ts'
import type { RouteDeps } from './route-deps.ts'

type LoggedRequest = Pick<FastifyRequest, 'id' | 'method' | 'url'> & { caller?: FastifyRequest['caller'] }

export function logRequests(app: FastifyInstance, deps: Pick<RouteDeps, 'log' | 'metrics'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = 'unknown' } = request.routeOptions
    const level = config.access?.who === 'anyone' && config.access.limit !== 'api' ? 'debug' : 'info'
    logResponse(deps, level, request, { route: url, status: reply.statusCode, ms: reply.elapsedTime })
    done()
  })
}

export function logResponse(
  { metrics, log }: Pick<RouteDeps, 'log' | 'metrics'>,
  level: 'debug' | 'info',
  request: LoggedRequest,
  { route, status, ms }: { route: string; status: number; ms: number },
): void {
  metrics.countRequest(request.method, route, status, ms / 1000)
  if (log.isLevelEnabled(level)) writeLogLine(log, formatLine(level, request, status, ms))
}

function formatLine(level: string, request: LoggedRequest, status: number, ms: number): string {
  const { caller, id, method, url } = request
  const callerFields =
    caller === undefined ? '' : `,"user":${caller.userId}${caller.kind === 'key' ? `,"key":${caller.keyId}` : ''}`
  const message = JSON.stringify(`${method} ${hideSecretInPath(url.split('?', 1)[0] ?? '')}`)
  const roundedMs = Math.round(ms * 10) / 10
  return `{"level":"${level}","time":"${new Date().toISOString()}","request":"${id}","status":${status},"ms":${roundedMs}${callerFields},"msg":${message}}\n`
}
