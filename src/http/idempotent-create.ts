/** Creates a resource for a POST request and responds with 201. A repeated Idempotency-Key gets the first response again. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../lib/problem.ts'
import { type CreatedResource, createOnce, type RestoreBody } from '../storage/idempotency.ts'
import type { Queries } from '../storage/transaction.ts'
import { callerOf } from './authentication.ts'
import { getBaseUrl } from './origin.ts'
import type { RouteDeps } from './route-deps.ts'

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ 'Idempotency-Key': ['`Idempotency-Key` must have 1 to 255 visible characters.'] })
  }
  return key
}

/** Returns the same text for equal requests, regardless of the order of fields and of their encoding (JSON or form). */
function canonicalizeRequest({ method, url, body }: FastifyRequest): string {
  return JSON.stringify([method, url, body], (_name, value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

export async function createIdempotently(
  deps: RouteDeps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  create: (q: Queries) => Promise<CreatedResource>,
  restoreBody?: RestoreBody,
) {
  const caller = callerOf(request)
  const key = readIdempotencyKey(request)
  const resource = await deps.db.as(caller).transaction(async (q) => {
    if (key === undefined) return { ...(await create(q)), isReplay: false }
    const requestHmac = deps.secret.hmac('idempotency', canonicalizeRequest(request))
    const repeatable = { teamId: caller.teamId, key, requestHmac, now: deps.clock.now() }
    return createOnce(q, repeatable, () => create(q), restoreBody)
  })
  if (resource.isReplay) reply.header('idempotent-replayed', 'true')
  return sendCreated(deps, request, reply, resource)
}

export function sendCreated(deps: RouteDeps, request: FastifyRequest, reply: FastifyReply, resource: CreatedResource) {
  return reply
    .code(201)
    .header('location', `${getBaseUrl(deps.config, request)}${resource.path}`)
    .send(resource.responseBody as never)
}
