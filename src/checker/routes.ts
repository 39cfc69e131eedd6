import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { requireValidBody } from '../http/require-valid-body.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { rateLimited } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { checkAcceptedFields } from '../monitors/settings.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { CheckRun } from './check-runner.ts'
import type { CheckService } from './check-service.ts'
import { toTarget } from './claim-store.ts'
import { type CheckRecord, CheckResponse, TrialResponse, TryMonitor } from './schema.ts'
import { readTrialSettings } from './trial-settings.ts'

const tags = ['Monitors']
const writeAccess = { access: requireScopes('monitors:write') }

/** Limits each user, because manual checks send requests from our address to servers of other people. */
const MAX_MANUAL_CHECKS_PER_MINUTE = 60

export function checkRoutes(
  app: App,
  { checkService, clock, config, counter, db, secret }: RouteDeps & { checkService: CheckService },
): void {
  function limitRate(teamId: number): void {
    const { allowed, retryAfterSeconds } = counter.take(`check:user:${teamId}`, {
      count: MAX_MANUAL_CHECKS_PER_MINUTE,
      windowSeconds: 60,
    })
    if (allowed) return
    throw rateLimited(
      `At most ${MAX_MANUAL_CHECKS_PER_MINUTE} manual checks a minute. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    )
  }

  app.post(
    '/api/monitors/try',
    {
      config: writeAccess,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'tryMonitor',
        summary: 'Check a target without saving it',
        description:
          'Accepts the fields of a new monitor; the name is optional. Nothing is stored. With `monitor_id` it tests a change of that monitor: fields that are not sent keep their saved values, and a header whose value equals its displayed last four characters is sent with its stored value. If `url` has another origin than the monitor, or `verify_tls` is turned off, all header values must be sent in full.',
        body: TryMonitor,
        response: { 200: TrialResponse },
      },
    },
    async (request) => {
      requireValidBody(request, (fields) => checkAcceptedFields(fields, { rdapUrl: config.rdapUrl }))
      const caller = callerOf(request)
      const tenant = db.as(caller)
      const settings = await readTrialSettings({ db: tenant, secret, config }, request.body)
      const target = toTarget(settings, caller.teamId, request.body.monitor_id ?? null)
      // Every query rejects a revoked key, but reading the settings may have needed no query. Reject the key before the
      // check sends requests.
      await tenant.confirm()
      limitRate(caller.teamId)
      return { data: toCheckRecord(await checkService.runTrial(target), { now: clock.now(), type: target.type }) }
    },
  )

  app.post(
    '/api/monitors/:id/check',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'checkMonitor',
        summary: 'Check a monitor now',
        description:
          'The result counts like that of a scheduled check. A paused monitor is checked too, but its state does not change.',
        params: idParams,
        response: { 200: CheckResponse },
        errors: [422],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      limitRate(caller.teamId)
      const { id } = request.params
      const { run, status, type } = await checkService.checkNow(db.as(caller), id)
      return { data: { monitor_id: id, status, ...toCheckRecord(run, { now: clock.now(), type, status }) } }
    },
  )
}

/**
 * A check of a heartbeat or of traffic may find nothing new. Then `ok` is true if the monitor is up, and null
 * otherwise.
 */
function toCheckRecord(
  run: CheckRun,
  { now, type, status }: { now: Date; type: MonitorType; status?: MonitorStatus },
): CheckRecord {
  if ('unchanged' in run) return { ...toRecordWithoutResult(run.unchanged, now), ok: status === 'up' ? true : null }
  if (!('result' in run)) return toRecordWithoutResult('inconclusive' in run ? run.inconclusive : run.unsupported, now)
  const { startedAt, result } = run
  const { failure, timings } = result
  const expiresAt = result.expiresAt?.toISOString() ?? null
  return {
    ok: failure === null,
    checked_at: startedAt.toISOString(),
    response_ms: result.responseMs,
    dns_ms: timings.dnsMs,
    connect_ms: timings.connectMs,
    tls_ms: timings.tlsMs,
    first_byte_ms: timings.firstByteMs,
    http_status: result.httpStatus,
    packet_loss: result.packetLoss,
    tls_expires_at: type === 'domain' ? null : expiresAt,
    domain_expires_at: type === 'domain' ? expiresAt : null,
    cause: failure?.cause ?? null,
    detail: failure?.detail ?? result.note,
  }
}

function toRecordWithoutResult(detail: string, now: Date): CheckRecord {
  return {
    ok: null,
    checked_at: now.toISOString(),
    response_ms: null,
    dns_ms: null,
    connect_ms: null,
    tls_ms: null,
    first_byte_ms: null,
    http_status: null,
    packet_loss: null,
    tls_expires_at: null,
    domain_expires_at: null,
    cause: null,
    detail,
  }
}
