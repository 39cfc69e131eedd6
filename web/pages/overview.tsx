import { useMemo, useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { formatNumber } from '../lib/format.ts'
import { useLive } from '../lib/live.ts'
import { useOverview } from '../lib/queries.ts'
import { Glances } from './overview/glances.tsx'
import { useRowHeights } from './overview/use-row-heights.ts'
import { Welcome } from './overview/welcome.tsx'
import { countAll } from './overview/words.ts'
import './overview/overview.css'

export function OverviewPage() {
  const { data, error, refetch } = useOverview()
  // Whoever has just added the first website still needs its snippet.
  const [added, setAdded] = useState<WebsiteRecord>()
  const counts = useMemo(() => data && countAll(data.websites, data.monitors), [data])
  const isNew = added !== undefined || (data?.websites.length === 0 && data.monitors.length === 0)
  const title = counts && counts.down > 0 ? `${formatNumber(counts.down)} down` : 'Overview'

  return (
    <>
      {/* From the beginning: what changes while the answer is on its way is heard. Who waits for a visit listens already. */}
      {added === undefined && <Listener />}
      {isNew ? (
        <Page title="Welcome">
          <Welcome added={added} onAdded={setAdded} />
        </Page>
      ) : (
        <Page title={title} heading="Overview" actions={<Actions />}>
          {data && counts ? (
            <>
              {error && <ErrorState error={error} retry={() => void refetch()} />}
              <Glances overview={data} counts={counts} />
            </>
          ) : error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <Waiting />
          )}
        </Page>
      )}
    </>
  )
}

function Listener() {
  useLive()
  return null
}

function Actions() {
  return (
    <>
      <ButtonLink to="/websites/new">Add website</ButtonLink>
      <ButtonLink to="/monitors/new">Add monitor</ButtonLink>
    </>
  )
}

/** As many as fit on most screens. */
const WAITING_ROWS = 12

function Waiting() {
  const { website } = useRowHeights()
  return (
    <Loading what="websites and monitors">
      <Skeleton height="1.5rem" width="18rem" />
      <Skeleton height="2.35rem" />
      <Skeleton height={`${website * WAITING_ROWS}px`} />
    </Loading>
  )
}
