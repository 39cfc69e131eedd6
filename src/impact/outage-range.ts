/** Parses the time range of a website's outages. */

import type { TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { isDay, localDay } from '../lib/local-day.ts'
import { type FieldErrors, invalid } from '../lib/problem.ts'
import { DAY_MS } from '../shared/time.ts'

const DEFAULT_DAYS = 30
/** A leap year, in which one day has an additional hour because the clocks are set back. */
const MAX_RANGE_MS = 366 * DAY_MS + DAY_MS / 24
/** RFC 3339 with a date, a time and an offset. */
const TIME_PATTERN = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/** Dates are days in the time zone of the website, both included. The range ends now at the latest. */
export function parseOutageRange(
  { from, to }: { from?: string; to?: string },
  { timeZone, now }: { timeZone: string; now: Date },
): TimeWindow {
  const errors: FieldErrors = {}
  const parse = (name: 'from' | 'to', text: string): Date => {
    const time = parseTimeOrDay(text, timeZone, name === 'to')
    if (time === undefined)
      errors[name] = [`\`${name}\` must be a day such as 2026-01-05 or a time such as 2026-01-05T10:00:00Z.`]
    return time ?? now
  }
  const parsedEnd = to === undefined ? now : parse('to', to)
  const end = parsedEnd < now ? parsedEnd : now
  const start = from === undefined ? addMs(end, -DEFAULT_DAYS * DAY_MS) : parse('from', from)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (start >= parsedEnd) throw invalid({ from: ['`from` must be before `to`.'] })
  if (start > now) throw invalid({ from: ['`from` must not be in the future.'] })
  if (end.getTime() - start.getTime() > MAX_RANGE_MS) {
    throw invalid({ from: ['The range from `from` to `to` must be at most one year long.'] })
  }
  return { from: start, to: end }
}

function parseTimeOrDay(text: string, timeZone: string, isEnd: boolean): Date | undefined {
  if (isDay(text)) {
    const { startsAt, endsAt } = localDay(timeZone, text)
    return new Date(isEnd ? endsAt : startsAt)
  }
  const time = TIME_PATTERN.test(text) ? new Date(text) : undefined
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time
}
