/** What the replay of the silence watch says, in the words of the page. */
import type { ReplayRecord } from '../../../src/impact/replay-schema.ts'
import { formatDurationSeconds, formatNumber, pluralize } from '../../lib/format.ts'

const WEEKS_PER_YEAR = 52
/** With a slower alert, somebody else notices first. The page says so. */
const SLOW_MINUTES = 180

type Replay = Pick<ReplayRecord, 'alarms' | 'weeks_replayed' | 'detection_minutes' | 'website_alarms_a_year'>

export function describePeriod({ weeks_replayed }: Pick<Replay, 'weeks_replayed'>): string {
  return weeks_replayed >= WEEKS_PER_YEAR ? '12 months' : pluralize(Math.max(1, Math.round(weeks_replayed)), 'week')
}

/** "In the last 12 months, it would have alerted 2 times." */
export function describeAlarms(replay: Replay): string {
  const count = replay.alarms.length
  const times = count === 0 ? 'never have alerted' : count === 1 ? 'have alerted once' : `have alerted ${count} times`
  return `In the last ${describePeriod(replay)}, it would ${times}.`
}

/** How long it takes until an alert is sent after all visits have stopped. Undefined if that is not known. */
export function describeDetection({ detection_minutes: { day, night } }: Replay): string | undefined {
  if (day === null) return undefined
  const delay = `If all visits stop, an alert follows after about ${formatMinutes(day)} in the daytime`
  return night === null || night === day ? `${delay}.` : `${delay}, and ${formatMinutes(night)} at night.`
}

export function isSlow({ detection_minutes: { day } }: Replay): boolean {
  return day !== null && day >= SLOW_MINUTES
}

export function describeExcess(replay: Replay): string {
  const share = formatNumber(Math.round(replay.website_alarms_a_year * 100) / 100)
  return `${describeAlarms(replay)} That is more than its share of your limit, ${share} a year: the visits of this website are too irregular.`
}

/** The time between two visits or until an alert: "35m", "2h 5m". */
export const formatMinutes = (minutes: number) => formatDurationSeconds(minutes * 60)
