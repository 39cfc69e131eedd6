/**
 * The outages of the shown period, and the visits that they cost. The swatch is the legend for the shaded times in the
 * chart.
 */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import type { OutagesRecord } from '../../../src/impact/schema.ts'
import { MINUTE_MS } from '../../../src/shared/time.ts'
import { api, type ItemResponse, withQuery } from '../../lib/api.ts'
import { type OverviewMonitor, queryKeys } from '../../lib/queries.ts'
import { serverClock } from '../../lib/server-clock.ts'
import { countDays, type DayRange, formatCalendarDay } from './calendar.ts'
import { describeOutages } from './outages.ts'

/** The server sums up the outages of at most a year. */
const MAX_SUMMED_DAYS = 366

interface OutageSummaryProps {
  website: { id: number; time_zone: string }
  range: DayRange
  monitors: readonly OverviewMonitor[]
}

export function OutageSummary({ website, range, monitors }: OutageSummaryProps) {
  const { data } = useOutageSum(website, range, monitors)
  if (data === undefined || data.outages === 0) return null
  return (
    <p class="website-outages small">
      <i class="website-outages-swatch" aria-hidden="true" />
      <Link href={withQuery('/incidents', { website: website.id, from: range.from, to: range.to })}>
        {describeOutages(data)}
      </Link>
    </p>
  )
}

function useOutageSum(
  { id, time_zone }: OutageSummaryProps['website'],
  { from, to }: DayRange,
  monitors: OutageSummaryProps['monitors'],
) {
  // The browser's clock may be ahead, and the server refuses a range that begins in its future.
  const hasBegun = from <= formatCalendarDay(time_zone, serverClock.now)
  // `at` changes when an incident starts or ends, which causes a refetch.
  const states = monitors.map(({ id: monitorId, status_changed_at: at }) => ({ monitorId, at }))
  return useQuery({
    queryKey: queryKeys.outageSum(id, { from, to }, states),
    queryFn: async ({ signal }) => {
      const path = withQuery(`api/v1/websites/${id}/outages`, { from, to })
      return (await api.get<ItemResponse<OutagesRecord>>(path, signal)).data
    },
    placeholderData: keepPreviousData,
    enabled: monitors.length > 0 && hasBegun && countDays({ from, to }) <= MAX_SUMMED_DAYS,
    // An ongoing outage becomes longer, so refetch its duration.
    refetchInterval: monitors.some(({ status }) => status === 'down') ? MINUTE_MS : false,
  })
}
