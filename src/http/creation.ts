/** Answers a POST that creates something: 201, where it is, and the same again for a repeat. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import { type Created, createOnce } from '../storage/idempotency.ts'
import { callerOf } from './authentication.ts'
import { baseUrl } from './origin.ts'
import type { RouteDeps } from './route-deps.ts'

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ 'Idempotency-Key': ['`Idempotency-Key` must have 1 to 255 visible characters.'] })
  }
  return key
}

/** The same request, however its fields were ordered and encoded. */
function fingerprint({ method, url, body }: FastifyRequest): string {
  return JSON.stringify([method, url, body], (_name, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

export async function answerCreation(
  services: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  create: (q: Queries) => Promise<Created>,
) {
  const caller = callerOf(request)
  const key = idempotencyKey(request)
  const created = await services.db.as(caller).transaction(async (q) => {
    if (key === undefined) return { ...(await create(q)), replayed: false }
    const hmac = services.secret.hmac('idempotency', fingerprint(request))
    return createOnce(q, { userId: caller.userId, key, hmac, now: services.clock.now() }, () => create(q))
  })
  if (created.replayed) reply.header('idempotent-replayed', 'true')
  return sendCreated(services, request, reply, created)
}

export function sendCreated(services: RouteDeps, request: FastifyRequest, reply: FastifyReply, created: Created) {
  return reply
    .code(201)
    .header('location', `${baseUrl(services.config, request)}${created.path}`)
    .send(created.answer as never)
}
