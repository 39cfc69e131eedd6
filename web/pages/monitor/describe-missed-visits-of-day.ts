/** The visits missed on one day of the uptime bars. */
import type { Impact } from '../../../src/shared/impact.ts'
import { formatMissedVisits, sumMissedVisits } from '../../lib/impact.ts'

interface MeasuredIncident {
  started_at: string
  resolved_at: string | null
  impact: Impact | null
}

/**
 * Says how many visits the incidents of a day cost. The impact of an incident is not split between its days. If an
 * incident lasted several days, the text says that the number includes other days. `day` is a day in the browser's time
 * zone, such as 2026-08-18. Returns undefined if no visits were measured.
 */
export function describeMissedVisitsOfDay(incidents: readonly MeasuredIncident[], day: string): string | undefined {
  const start = new Date(`${day}T00:00`)
  const end = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1)
  const [from, to] = [start.getTime(), end.getTime()]
  const incidentsOfDay = incidents
    .map(({ started_at, resolved_at, impact }) => ({
      startsAt: Date.parse(started_at),
      endsAt: resolved_at === null ? Number.POSITIVE_INFINITY : Date.parse(resolved_at),
      impact,
    }))
    .filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from)
  const text = formatMissedVisits(sumMissedVisits(incidentsOfDay.map(({ impact }) => impact)))
  const hasOtherDays = incidentsOfDay.some(
    ({ startsAt, endsAt }) => startsAt < from || (endsAt > to && to <= Date.now()),
  )
  return text && hasOtherDays ? `${text}, including other days of the outage` : text
}
