import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { tooMany } from '../lib/problem.ts'
import { idPath } from '../lib/schemas.ts'
import type { Checking } from './checking.ts'
import { targetOf } from './claimed.ts'
import type { Outcome } from './examiner.ts'
import { CheckAnswer, type CheckRecord, TryAnswer, TryMonitor } from './schema.ts'
import { readTried } from './tried.ts'

const tags = ['Monitors']
const writing = { access: caller('monitors:write') }

/** Checks by hand go to other people's servers, from our address. */
const PER_MINUTE = 60

export function checkRoutes(
  app: App,
  { checking, clock, counter, db, secret }: RouteDeps & { checking: Checking },
): void {
  function takeTurn(userId: number): void {
    const { allowed, retryAfterSeconds } = counter.take(`check:user:${userId}`, {
      count: PER_MINUTE,
      windowSeconds: 60,
    })
    if (allowed) return
    throw tooMany(
      `At most ${PER_MINUTE} checks by hand a minute. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    )
  }

  function recordOf(outcome: Outcome): CheckRecord {
    if (!('finding' in outcome)) return nothingKnown('unknown' in outcome ? outcome.unknown : outcome.unable)
    const { begun, finding } = outcome
    const { failure, timings } = finding
    return {
      ok: failure === null,
      checked_at: begun.toISOString(),
      response_ms: finding.responseMs,
      dns_ms: timings.dnsMs,
      connect_ms: timings.connectMs,
      tls_ms: timings.tlsMs,
      first_byte_ms: timings.firstByteMs,
      http_status: finding.httpStatus,
      packet_loss: finding.packetLoss,
      tls_expires_at: finding.tlsExpiresAt?.toISOString() ?? null,
      cause: failure?.cause ?? null,
      detail: failure?.detail ?? null,
    }
  }

  function nothingKnown(detail: string): CheckRecord {
    return {
      ok: null,
      checked_at: clock.now().toISOString(),
      response_ms: null,
      dns_ms: null,
      connect_ms: null,
      tls_ms: null,
      first_byte_ms: null,
      http_status: null,
      packet_loss: null,
      tls_expires_at: null,
      cause: null,
      detail,
    }
  }

  app.post(
    '/api/monitors/try',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Check a target that is not saved yet',
        description:
          'Takes what a new monitor takes, without a name if you like; nothing is kept. With `monitor_id` it takes what a change of that monitor takes: what is not sent is as the monitor has it, and a header whose value equals its shown end is sent with its kept value.',
        body: TryMonitor,
        response: { 200: TryAnswer },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const target = targetOf(await readTried({ db: db.as(who), secret }, request.body))
      takeTurn(who.userId)
      return { data: recordOf(await checking.tryOut(target)) }
    },
  )

  app.post(
    '/api/monitors/:id/check',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Check a monitor now',
        description: 'Counts like any other check. A paused monitor is checked too, but stays as it is.',
        params: idPath,
        response: { 200: CheckAnswer },
      },
    },
    async (request) => {
      const who = callerOf(request)
      takeTurn(who.userId)
      const { id } = request.params
      const { outcome, status } = await checking.checkNow(db.as(who), id)
      return { data: { monitor_id: id, status, ...recordOf(outcome) } }
    },
  )
}
