/** The values of the maintenance form, and their conversion from a maintenance and to an API request. */
import type { CreateMaintenance } from '../../../src/maintenances/schema.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts'
import { browserTimeZone } from '../../lib/format.ts'
import type { Maintenance } from '../../lib/maintenances.ts'
import { buildWeeklyCron, parseWeeklyCron } from './schedule.ts'

export interface MaintenanceFormValues {
  title: string
  note: string
  timing: 'now' | 'once' | 'recurring'
  /** In the browser's time zone, such as 2026-01-05T10:00. */
  starts: string
  endBy: 'duration' | 'time'
  /** In minutes. */
  duration: string
  ends: string
  repeat: 'weekly' | 'cron'
  weekdays: readonly number[]
  /** A time such as 02:00, in `time_zone`. */
  time: string
  cron: string
  time_zone: string
  /** The last day of the recurrence, or empty if it has no end. */
  until: string
  target: 'all' | 'tags' | 'monitors'
  tags: readonly string[]
  monitor_ids: readonly number[]
}

/** Formats a time for a datetime-local field. */
export function toLocalText(at: string | number): string {
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

/** Text that is not a time stays unchanged, so that the server's validation message explains the error. */
function toTimestamp(localText: string): string {
  const date = new Date(localText)
  return Number.isNaN(date.getTime()) ? localText : date.toISOString()
}

export function createMaintenanceValues(now = Date.now()): MaintenanceFormValues {
  const nextHour = Math.ceil((now + MINUTE_MS) / HOUR_MS) * HOUR_MS
  return {
    title: '',
    note: '',
    timing: 'now',
    starts: toLocalText(nextHour),
    endBy: 'duration',
    duration: '30',
    ends: toLocalText(nextHour + HOUR_MS),
    repeat: 'weekly',
    weekdays: [0],
    time: '02:00',
    cron: '0 2 * * 0',
    time_zone: browserTimeZone,
    until: '',
    target: 'all',
    tags: [],
    monitor_ids: [],
  }
}

export function toMaintenanceValues(maintenance: Maintenance): MaintenanceFormValues {
  const { title, note, starts_at, ends_at, recurrence, all_monitors, monitor_ids, tags } = maintenance
  const weekly = recurrence && parseWeeklyCron(recurrence.cron)
  return {
    ...createMaintenanceValues(),
    title,
    note: note ?? '',
    timing: recurrence ? 'recurring' : 'once',
    starts: toLocalText(starts_at),
    endBy: 'time',
    ends: toLocalText(ends_at),
    target: all_monitors ? 'all' : monitor_ids.length > 0 ? 'monitors' : 'tags',
    tags,
    monitor_ids,
    ...(recurrence && {
      duration: `${recurrence.duration_seconds / 60}`,
      repeat: weekly ? 'weekly' : 'cron',
      ...(weekly && { weekdays: weekly.days, time: weekly.time }),
      cron: recurrence.cron,
      time_zone: recurrence.time_zone,
      until: recurrence.until === null ? '' : toLocalText(recurrence.until).slice(0, 10),
    }),
  }
}

/** Text that is not a number stays unchanged, so that the server's validation message explains the error. */
const toSeconds = (minutes: string) => (/^[\d.]+$/.test(minutes.trim()) ? 60 * Number(minutes) : (minutes as never))

function toTimes(values: MaintenanceFormValues): Partial<CreateMaintenance> {
  if (values.timing === 'recurring') {
    const { repeat, weekdays: days, time, cron, time_zone, until } = values
    return {
      recurrence: {
        cron: repeat === 'weekly' ? buildWeeklyCron({ days, time }) : cron,
        time_zone,
        duration_seconds: toSeconds(values.duration),
        until: until === '' ? null : toTimestamp(`${until}T23:59:59`),
      },
    }
  }
  return {
    ...(values.timing === 'once' && { starts_at: toTimestamp(values.starts) }),
    ...(values.endBy === 'duration'
      ? { duration_seconds: toSeconds(values.duration) }
      : { ends_at: toTimestamp(values.ends) }),
    recurrence: null,
  }
}

/** The request has only the fields of the chosen kind of target. The form keeps the fields of the other kinds. */
export function toMaintenanceInput(values: MaintenanceFormValues): CreateMaintenance {
  const { title, note, target, tags, monitor_ids } = values
  return {
    title,
    note: note.trim() === '' ? null : note,
    ...toTimes(values),
    all_monitors: target === 'all',
    tags: target === 'tags' ? [...tags] : [],
    monitor_ids: target === 'monitors' ? [...monitor_ids] : [],
  }
}

/** Errors by field that the server can't detect, because the request has a cron expression instead of days and a time. */
export function findMaintenanceErrors({
  timing,
  repeat,
  weekdays,
  time,
}: MaintenanceFormValues): Record<string, string[]> {
  if (timing !== 'recurring' || repeat !== 'weekly') return {}
  return {
    ...(weekdays.length === 0 && { weekdays: ['Choose at least one day.'] }),
    // The browser also returns an empty text for an incomplete time.
    ...(time === '' && { time: ['Enter a time.'] }),
  }
}

/**
 * Returns only the changed fields. The form shows times without seconds, so sending an unchanged time would lose its
 * seconds.
 */
export function diffMaintenance(before: CreateMaintenance, after: CreateMaintenance): Partial<CreateMaintenance> {
  const isSame = (name: keyof CreateMaintenance) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name as keyof CreateMaintenance)))
}
