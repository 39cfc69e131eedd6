/** How much the settings turned away, and why. */
import { useQuery } from '@tanstack/preact-query'
import type { DroppedList } from '../../../src/traffic/dropped/schema.ts'
import { Sparkline } from '../../charts/sparkline.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'

type Reason = DroppedList['data'][number]['reason']

const words: Record<Reason, string> = {
  bot: 'from bots',
  ip: 'from excluded addresses',
  prefetch: 'loaded ahead, never seen',
}

export function Dropped({ id }: { id: number }) {
  const dropped = useQuery({
    queryKey: ['website', id, 'dropped'],
    queryFn: ({ signal }) => api.get<DroppedList>(`api/v1/websites/${id}/dropped`, signal),
  })
  if (dropped.isPending) return <Skeleton height="5.5rem" />
  if (dropped.isError) return <ErrorState error={dropped.error} retry={() => void dropped.refetch()} />
  const rows = dropped.data.data.filter(({ count }) => count > 0)
  return (
    <section class="website-settings-dropped" aria-label="Left out in the last 30 days">
      <h3>Left out in the last 30 days</h3>
      {rows.length === 0 ? (
        <p class="muted">Nothing: every event was counted.</p>
      ) : (
        <ul>
          {rows.map(({ reason, count, series }) => (
            <li key={reason}>
              <strong class="numbers">{formatNumber(count)}</strong>
              <span>{words[reason]}</span>
              <div>
                <Sparkline values={series.map((day) => day.count)} label={`Left out ${words[reason]}`} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
