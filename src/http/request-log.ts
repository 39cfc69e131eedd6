/** One line and one count for every answer. Queries and addresses stay out: they may hold tokens, and are people's. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { writeLine } from '../lib/log.ts'
import type { Services } from './services.ts'

export function logRequests(app: FastifyInstance, { metrics, log }: Services): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = 'unknown' } = request.routeOptions
    const ms = reply.elapsedTime
    metrics.countRequest(request.method, url, reply.statusCode, ms / 1000)
    const level = config.access?.who === 'anyone' && !config.access.limited ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) writeLine(log, lineOf(level, request, reply.statusCode, ms))
    done()
  })
}

function lineOf(level: string, request: FastifyRequest, status: number, ms: number): string {
  const { caller, id, method, url } = request
  const who =
    caller === undefined ? '' : `,"user":${caller.userId}${caller.kind === 'key' ? `,"key":${caller.keyId}` : ''}`
  const what = JSON.stringify(`${method} ${url.split('?', 1)[0]}`)
  const rounded = Math.round(ms * 10) / 10
  return `{"level":"${level}","time":"${new Date().toISOString()}","request":"${id}","status":${status},"ms":${rounded}${who},"msg":${what}}\n`
}
