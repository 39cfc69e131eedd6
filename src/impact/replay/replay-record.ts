import type { WebsiteReplay } from './replay.ts'
import type { ReplayRecord } from './replay-schema.ts'

export function toReplayRecord(
  websiteId: number,
  { alarmsAYear, share }: { alarmsAYear: number; share: number },
  replay: WebsiteReplay,
): ReplayRecord {
  const { delayMinutes, expectedAYear, timeOf } = replay
  return {
    website_id: websiteId,
    from: replay.from.toISOString(),
    to: replay.to.toISOString(),
    weeks_replayed: roundToTenths(replay.weeksReplayed),
    silence_alarms_a_year: alarmsAYear,
    website_alarms_a_year: roundToThousandths(share),
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
