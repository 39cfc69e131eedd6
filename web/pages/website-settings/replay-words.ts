/** The sentences that describe the replay: which alerts Belfry would have sent because visits stopped. */
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import { formatCountry, formatNumber, pluralize } from '../../lib/format.ts'

/** Known incidents are left out of the replay, so a whole year may have a little less than 52 weeks. */
const MIN_YEAR_WEEKS = 51
/** If an alert takes longer than this, an uptime monitor usually notices an outage sooner. The page says so. */
const SLOW_MINUTES = 180
const HOUR_MINUTES = 60
const DAY_MINUTES = 1_440

type Replay = Pick<ReplayRecord, 'alarms' | 'weeks_replayed' | 'detection_minutes' | 'website_alarms_a_year'>

export function describePeriod({ weeks_replayed }: Pick<Replay, 'weeks_replayed'>): string {
  return weeks_replayed >= MIN_YEAR_WEEKS ? '12 months' : pluralize(Math.max(1, Math.round(weeks_replayed)), 'week')
}

/** "In the last 12 months, Belfry would have alerted you 2 times." */
export function describeAlarms(replay: Replay): string {
  const count = replay.alarms.length
  const times = count === 1 ? 'once' : pluralize(count, 'time')
  return `In the last ${describePeriod(replay)}, Belfry would ${count === 0 ? 'not have alerted you' : `have alerted you ${times}`}.`
}

/** How long it takes until an alert is sent after all visits have stopped. Undefined if that is not known. */
export function describeDetection({ detection_minutes: { day, night } }: Replay): string | undefined {
  if (day === null) return undefined
  const [dayDelay, nightDelay] = [formatDelay(day), night === null ? undefined : formatDelay(night)]
  const delay = `If all visits stop, you would be alerted after about ${dayDelay}`
  if (nightDelay === dayDelay) return `${delay}.`
  return `${delay} in the daytime${nightDelay === undefined ? '' : `, and about ${nightDelay} at night`}.`
}

/** Warns about websites with few visits, for which an alert takes hours. Undefined if alerts are fast enough. */
export function describeSlowness({ detection_minutes: { day } }: Replay): string | undefined {
  if (day === null || day < SLOW_MINUTES) return undefined
  const unit = day < DAY_MINUTES ? 'hours' : 'days'
  return `With so few visits, gaps of ${unit} are normal. If the server is down, an uptime monitor notices sooner.`
}

export function describeExcess(replay: Replay, hasStopAlerts: boolean): string {
  const share = replay.website_alarms_a_year
  const limit = share === 1 ? '1 false alarm' : `${formatNumber(Math.round(share * 100) / 100)} false alarms`
  return `${describeAlarms(replay)} That is too often: this website may cause ${limit} a year${hasStopAlerts ? '.' : ", so you can't turn these alerts on."}`
}

type Suggestion = Pick<ReplayRecord, 'alarms' | 'quiet_day_alarms' | 'suggested_holidays' | 'suggested_quiet_days'>

/** Undefined if fewer than half of the alerts were on days with few visits, or if there are no days to suggest. */
export function describeQuietAlarms(replay: Suggestion): string | undefined {
  const { alarms, quiet_day_alarms: quietDayAlarms, suggested_holidays: holidays, suggested_quiet_days: days } = replay
  if (quietDayAlarms === 0 || quietDayAlarms < alarms.length / 2 || (holidays === null && days.length === 0))
    return undefined
  if (alarms.length === 1) return 'The alert was on a day with few visits, such as a public holiday.'
  return `${quietDayAlarms === alarms.length ? 'All' : quietDayAlarms} alerts were on days with few visits, such as public holidays.`
}

/** "Add the public holidays of Germany and 3 more days". */
export function describeSuggestion({ suggested_holidays: holidays, suggested_quiet_days: days }: Suggestion): string {
  const holidayText = holidays === null ? [] : [`the public holidays of ${formatCountry(holidays)}`]
  const count = days.length
  const dayText =
    count === 0
      ? []
      : [holidays === null ? pluralize(count, 'quiet day') : `${count} more ${count === 1 ? 'day' : 'days'}`]
  return `Add ${[...holidayText, ...dayText].join(' and ')}`
}

/** Replaces the API's field names in the server's messages with the words of the page. */
export const describeRefusal = (messages: readonly string[] | undefined): string[] =>
  (messages ?? []).map((message) =>
    message
      .replaceAll('`silence_alarms_a_year`', 'the false alarms allowed')
      .replace('Set `holidays` to', 'Set the public holidays to')
      .replace('`quiet_days`', 'quiet days'),
  )

/** The delay is an estimate, so it is rounded: "35 minutes", "1.5 hours", "3 days". */
function formatDelay(minutes: number): string {
  if (minutes < HOUR_MINUTES - 2) {
    return pluralize(Math.max(1, minutes < 20 ? minutes : Math.round(minutes / 5) * 5), 'minute')
  }
  if (minutes >= 2 * DAY_MINUTES) return pluralize(Math.round(minutes / DAY_MINUTES), 'day')
  const hours = minutes / HOUR_MINUTES
  return pluralize(hours < 4 ? Math.round(hours * 2) / 2 : Math.round(hours), 'hour')
}
