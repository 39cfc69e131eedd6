import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { formatDurationSeconds, formatZoneName } from '../../lib/format.ts'

const namedPeriods: Record<number, string> = {
  60: 'Every minute',
  3600: 'Every hour',
  [DAY_SECONDS]: 'Every day',
  [7 * DAY_SECONDS]: 'Every week',
}

/** When beats are expected: "Every hour", or "30 2 * * * (Europe/Berlin)". */
export function describeBeatSchedule({ period, cron, time_zone }: NonNullable<MonitorRecord['heartbeat']>): string {
  if (cron !== null) return time_zone === null ? cron : `${cron} (${formatZoneName(time_zone)})`
  return namedPeriods[period ?? 0] ?? `Every ${formatDurationSeconds(period ?? 0)}`
}
