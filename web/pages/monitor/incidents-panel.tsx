import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { QueryContent, Loading, Skeleton } from '../../components/states.tsx'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { IncidentGroup } from './incident-group.tsx'
import { groupsOf } from './incident-groups.ts'
import type { Incident, useIncidents, WindowName } from './queries.ts'
import { windowWords } from './labels.ts'

interface IncidentsPanelProps {
  id: number
  window: WindowName
  found: ReturnType<typeof useIncidents>
}

export function IncidentsPanel({ id, window, found }: IncidentsPanelProps) {
  const meta = found.data?.pages[0]?.meta
  const title = `Incidents in ${windowWords[window]}`
  return (
    <Panel
      title={title}
      actions={
        <span class="small muted numbers">
          {meta !== undefined && meta.total > 0 && totalOf(meta.total, meta.downtime_seconds)}
        </span>
      }
    >
      <QueryContent
        query={found}
        loading={
          <Loading what="incidents">
            <Skeleton height="8rem" />
          </Loading>
        }
      >
        {({ pages }) => <Groups id={id} found={found} incidents={pages.flatMap((page) => page.data)} key={window} />}
      </QueryContent>
    </Panel>
  )
}

const totalOf = (count: number, seconds: number) => `${formatCount(count, 'incident')}, ${formatDuration(seconds)} down`

interface GroupsProps {
  id: number
  found: ReturnType<typeof useIncidents>
  incidents: readonly Incident[]
}

function Groups({ id, found, incidents }: GroupsProps) {
  const [shown, setShown] = useState(1)
  const [newest] = useState(incidents[0]?.id)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, dataUpdatedAt } = found
  if (incidents.length === 0) return <p class="muted">It was not down. Nothing to see here.</p>
  const all = groupsOf(incidents, newest)
  const groups = all.slice(0, shown)
  return (
    <>
      {groups.map((group, n) => (
        <IncidentGroup key={n} id={id} incidents={group} askedAt={dataUpdatedAt} />
      ))}
      {(groups.length < all.length || hasNextPage) && (
        <Button
          busy={isFetchingNextPage}
          onClick={() => {
            setShown(shown + 1)
            if (shown >= all.length - 1 && hasNextPage) void fetchNextPage()
          }}
        >
          Show more
        </Button>
      )}
    </>
  )
}
