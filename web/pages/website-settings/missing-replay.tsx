/** Explains why there is no replay of the alerts yet, and when alerts begin. */
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Skeleton } from '../../components/states.tsx'
import { formatDay } from '../../lib/format.ts'
import { addDays, formatCalendarDay } from '../website/calendar.ts'
import { useFirstDay } from '../website/queries.ts'

/** Belfry learns from two weeks of visits before the first alert. */
const LEARNING_DAYS = 14

interface MissingReplayProps {
  website: WebsiteRecord
  basis: NonNullable<ReplayRecord['basis']>
  hasStopAlerts: boolean
}

export function MissingReplay({ website, basis, hasStopAlerts }: MissingReplayProps) {
  const today = formatCalendarDay(website.time_zone, Date.now())
  const firstDay = useFirstDay(website.id, today, basis === 'too_little_history')
  const prefix = hasStopAlerts ? 'Alerts begin' : 'You can already turn on “Alert me when visits stop”. Alerts begin'
  if (basis === 'too_little_traffic') {
    return <p>This website has too few visits to tell whether a gap is unusual. {prefix} once it has more visits.</p>
  }
  if (firstDay.isPending) return <Skeleton height="1.4rem" />
  const beginsOn = firstDay.data == null ? undefined : addDays(firstDay.data, LEARNING_DAYS)
  const start =
    beginsOn !== undefined && beginsOn > today ? `on ${formatDay(beginsOn)}` : 'two weeks after the first visits'
  return (
    <p>
      Belfry needs two weeks of visits to learn what is usual. {prefix} {start}.
    </p>
  )
}
