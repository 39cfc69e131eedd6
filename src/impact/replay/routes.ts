import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { rateLimited } from '../../lib/problem.ts'
import { idParams } from '../../lib/schemas.ts'
import { mergeQuietDays } from '../../websites/quiet-days.ts'
import { countOtherWatches } from '../../websites/watch-store.ts'
import { getWebsite } from '../../websites/websites.ts'
import { type ReplayRecord, ReplayRequest, ReplayResponse } from './schema.ts'
import type { SilenceReplays, WebsiteReplay } from './silence-replays.ts'

/** A replay takes up to 300 ms of a core. */
const MAX_REPLAYS_PER_MINUTE = 30

export function silenceReplayRoutes(
  app: App,
  { counter, db, silenceReplays }: RouteDeps & { silenceReplays: SilenceReplays },
): void {
  app.post(
    '/api/v1/websites/:id/silence/replay',
    {
      config: { access: requireScopes('websites:write'), right: 'read' },
      schema: {
        tags: ['Websites'],
        operationId: 'previewSilence',
        summary: 'Replay traffic alerts over the last 12 months',
        description:
          'Returns when `watch_traffic` would have sent alerts, and how long it takes to notice that visits have stopped. Changes nothing.',
        params: idParams,
        body: ReplayRequest,
        response: { 200: ReplayResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const tenant = db.as(caller)
      const website = await getWebsite(tenant, request.params.id)
      const { allowed, retryAfterSeconds } = counter.take(`replay:user:${caller.teamId}`, {
        count: MAX_REPLAYS_PER_MINUTE,
        windowSeconds: 60,
      })
      if (!allowed) {
        throw rateLimited(
          `At most ${MAX_REPLAYS_PER_MINUTE} replays a minute. Try again in ${retryAfterSeconds} s.`,
          retryAfterSeconds,
        )
      }
      const alarmsAYear = request.body?.silence_alarms_a_year ?? website.silence_alarms_a_year
      const websiteAlarmsAYear = alarmsAYear / ((await countOtherWatches(tenant, website.id)) + 1)
      const { id, domain, time_zone: timeZone } = website
      const settings = mergeQuietDays(website, request.body ?? {})
      const replay = await silenceReplays.replay(
        { id, teamId: caller.teamId, domain, timeZone, ...settings },
        websiteAlarmsAYear,
      )
      return { data: toReplayRecord(id, { alarmsAYear, websiteAlarmsAYear }, replay) }
    },
  )
}

function toReplayRecord(
  websiteId: number,
  { alarmsAYear, websiteAlarmsAYear }: { alarmsAYear: number; websiteAlarmsAYear: number },
  replay: WebsiteReplay,
): ReplayRecord {
  const { delayMinutes, expectedAYear, timeOf } = replay
  return {
    website_id: websiteId,
    from: replay.from.toISOString(),
    to: replay.to.toISOString(),
    weeks_replayed: roundToTenths(replay.weeksReplayed),
    silence_alarms_a_year: alarmsAYear,
    website_alarms_a_year: roundToThousandths(websiteAlarmsAYear),
    alarms: replay.alarms.map(({ from, alarmAt, to, gapMinutes }) => ({
      started_at: timeOf(from).toISOString(),
      alerted_at: timeOf(alarmAt).toISOString(),
      ended_at: timeOf(to).toISOString(),
      gap_minutes: gapMinutes,
    })),
    alarms_a_year: expectedAYear === undefined ? null : roundToTenths(expectedAYear),
    exceeds_budget: replay.exceedsBudget,
    quiet_day_alarms: replay.quietAlarms,
    suggested_holidays: replay.suggestedHolidays,
    suggested_quiet_days: replay.suggestedQuietDays,
    detection_minutes: { day: delayMinutes?.day ?? null, night: delayMinutes?.night ?? null },
    basis: replay.basis,
  }
}

const roundToTenths = (value: number) => Math.round(value * 10) / 10
const roundToThousandths = (value: number) => Math.round(value * 1000) / 1000
