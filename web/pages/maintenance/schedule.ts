/** The schedule of a recurring maintenance in words, and as the fields of the form. */
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { formatDate, formatDurationSeconds, formatWallClock, formatZoneName } from '../../lib/format.ts'
import type { Maintenance } from '../../lib/maintenances.ts'

/** The days are numbered as in cron, where 0 is Sunday. The list begins with Monday, as in the form. */
export const weekdays = [
  { day: 1, name: 'Monday', shortName: 'Mon' },
  { day: 2, name: 'Tuesday', shortName: 'Tue' },
  { day: 3, name: 'Wednesday', shortName: 'Wed' },
  { day: 4, name: 'Thursday', shortName: 'Thu' },
  { day: 5, name: 'Friday', shortName: 'Fri' },
  { day: 6, name: 'Saturday', shortName: 'Sat' },
  { day: 0, name: 'Sunday', shortName: 'Sun' },
] as const

export interface WeeklySchedule {
  /** Days of the week, as in cron. */
  days: readonly number[]
  /** A time such as 02:00. */
  time: string
}

const twoDigits = (value: number) => `${value}`.padStart(2, '0')

/** Parses an expression that has one time of day and days of the week. Returns undefined for any other expression. */
export function parseWeeklyCron(cron: string): WeeklySchedule | undefined {
  const match = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:-[0-7])?(?:,[0-7](?:-[0-7])?)*)$/.exec(cron)
  if (match === null) return undefined
  const [minute, hour, dayText = '*'] = [Number(match[1]), Number(match[2]), match[3]]
  const days = new Set<number>()
  for (const range of dayText === '*' ? ['0-6'] : dayText.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number)
    // In cron, both 0 and 7 mean Sunday.
    for (let day = from; day <= to; day++) days.add(day % 7)
  }
  const orderedDays = weekdays.map(({ day }) => day).filter((day) => days.has(day))
  return { days: orderedDays, time: `${twoDigits(hour)}:${twoDigits(minute)}` }
}

/** `findMaintenanceErrors` rejects a schedule without days or time before this is sent. */
export function buildWeeklyCron({ days, time }: WeeklySchedule): string {
  const [hour = '', minute = ''] = time.split(':')
  const isEveryDay = days.length === weekdays.length
  return `${Number(minute)} ${Number(hour)} * * ${isEveryDay ? '*' : days.toSorted((a, b) => a - b).join(',')}`
}

function describeDays(days: readonly number[]): string {
  if (days.length === 7) return 'Every day'
  if (days.join() === '1,2,3,4,5') return 'Every weekday'
  const names = weekdays.filter(({ day }) => days.includes(day)).map(({ name }) => name)
  return `Every ${[names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')}`
}

function describeTimes(time: string, durationSeconds: number): string {
  const start = Date.parse(`2000-01-01T${time}Z`)
  const formatTime = (ms: number) => formatWallClock(new Date(ms).toISOString())
  if (durationSeconds >= DAY_SECONDS) return `${formatTime(start)} for ${formatDurationSeconds(durationSeconds)}`
  return `${formatTime(start)}–${formatTime(start + durationSeconds * 1_000)}`
}

/** "Every Sunday 02:00–03:00 Europe/Berlin". */
export function describeRecurrence(recurrence: NonNullable<Maintenance['recurrence']>): string {
  const { cron, time_zone, duration_seconds, until } = recurrence
  const weekly = parseWeeklyCron(cron)
  const monthly = /^(\d{1,2}) (\d{1,2}) (\d{1,2}) \* \*$/.exec(cron)
  const days = weekly ? describeDays(weekly.days) : monthly && `On day ${monthly[3]} of every month`
  const time = weekly?.time ?? (monthly && `${twoDigits(Number(monthly[2]))}:${twoDigits(Number(monthly[1]))}`)
  const times =
    days && time
      ? `${days} ${describeTimes(time, duration_seconds)}`
      : `At ${cron} (cron) for ${formatDurationSeconds(duration_seconds)}`
  return `${times} ${formatZoneName(time_zone)}${until === null ? '' : `, until ${formatDate(until)}`}`
}
