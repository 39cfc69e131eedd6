/** Why the alerts when visits stop can't be replayed yet, and when they begin. */
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Skeleton } from '../../components/states.tsx'
import { formatDay } from '../../lib/format.ts'
import { addDays, formatCalendarDay } from '../website/calendar.ts'
import { useFirstDay } from '../website/queries.ts'

/** The watch learns from two weeks of visits before it begins. */
const LEARNING_DAYS = 14

interface MissingReplayProps {
  website: WebsiteRecord
  basis: NonNullable<ReplayRecord['basis']>
  isWatched: boolean
}

export function MissingReplay({ website, basis, isWatched }: MissingReplayProps) {
  const today = formatCalendarDay(website.time_zone, Date.now())
  const firstDay = useFirstDay(website.id, today, basis === 'too_little_history')
  const prefix = isWatched ? 'Silence alerts begin' : 'You can turn silence alerts on now. They begin'
  if (basis === 'too_little_traffic') {
    return <p>This website has too few visits to tell silence from chance. {prefix} once it has more visits.</p>
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
