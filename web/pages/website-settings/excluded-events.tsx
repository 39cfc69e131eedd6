/** How much the settings turned away, and why. */
import { useQuery } from '@tanstack/preact-query'
import type { DroppedList } from '../../../src/traffic/dropped/schema.ts'
import { Sparkline } from '../../charts/sparkline.tsx'
import { Asked, Skeleton } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'

type Reason = DroppedList['data'][number]['reason']

const words: Record<Reason, string> = {
  bot: 'from bots',
  ip: 'from excluded addresses',
  prefetch: 'loaded ahead, never seen',
}

export function Dropped({ id }: { id: number }) {
  const dropped = useQuery({
    queryKey: queryKeys.dropped(id),
    queryFn: ({ signal }) => api.get<DroppedList>(`api/v1/websites/${id}/dropped`, signal),
  })
  return (
    <Asked query={dropped} waiting={<Skeleton height="5.5rem" />}>
      {({ data }) => <Reasons rows={data.filter(({ count }) => count > 0)} />}
    </Asked>
  )
}

function Reasons({ rows }: { rows: DroppedList['data'] }) {
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
