/** Shows how many page views and events were excluded from the statistics in the last 30 days, by reason. */
import { useQuery } from '@tanstack/preact-query'
import type { DroppedList } from '../../../src/traffic/dropped/schema.ts'
import { Sparkline } from '../../charts/sparkline.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'

type DropReason = DroppedList['data'][number]['reason']

const reasonLabels: Record<DropReason, string> = {
  bot: 'from bots',
  ip: 'from excluded IPs',
  spam_referrer: 'from spam referrers',
  prefetch: 'from pages that the browser preloaded but nobody opened',
}

export function ExcludedEvents({ id }: { id: number }) {
  const query = useQuery({
    queryKey: queryKeys.dropped(id),
    queryFn: ({ signal }) => api.get<DroppedList>(`api/v1/websites/${id}/dropped`, signal),
  })
  return (
    <QueryContent query={query} loading={<Skeleton height="5.5rem" />}>
      {({ data }) => <Reasons id={id} rows={data.filter(({ count }) => count > 0)} />}
    </QueryContent>
  )
}

function Reasons({ id, rows }: { id: number; rows: DroppedList['data'] }) {
  return (
    <section class="website-settings-excluded" aria-label="Page views and events excluded in the last 30 days">
      <h3>Page views and events excluded in the last 30 days</h3>
      {rows.length === 0 ? (
        <p class="muted">No page views or events were excluded.</p>
      ) : (
        <ul>
          {rows.map(({ reason, count, series }) => (
            <li key={reason}>
              <strong class="numbers">{formatNumber(count)}</strong>
              <span>{reasonLabels[reason]}</span>
              <div>
                <Sparkline
                  kind="visitors"
                  id={id}
                  values={series.map((day) => day.count)}
                  label={`Page views and events ${reasonLabels[reason]}: ${formatNumber(count)} in ${pluralize(series.length, 'day')}`}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
