import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { formatDurationSeconds, pluralize } from '../../lib/format.ts'
import { IncidentGroup } from './incident-group.tsx'
import { groupIncidents } from './incident-groups.ts'
import { windowLabels } from './labels.ts'
import type { Incident, MonitorWindow, useIncidents } from './queries.ts'

interface IncidentsPanelProps {
  monitorId: number
  window: MonitorWindow
  query: ReturnType<typeof useIncidents>
}

export function IncidentsPanel({ monitorId, window, query }: IncidentsPanelProps) {
  const meta = query.data?.pages[0]?.meta
  return (
    <Panel
      title={`Incidents in the last ${windowLabels[window]}`}
      actions={
        <span class="small muted numbers">
          {meta !== undefined &&
            meta.total > 0 &&
            `${pluralize(meta.total, 'incident')}, ${formatDurationSeconds(meta.downtime_seconds)} downtime`}
        </span>
      }
    >
      <QueryContent
        query={query}
        loading={
          <Loading what="incidents">
            <Skeleton height="8rem" />
          </Loading>
        }
      >
        {({ pages }) => (
          <IncidentGroups
            monitorId={monitorId}
            window={window}
            query={query}
            incidents={pages.flatMap((page) => page.data)}
            key={window}
          />
        )}
      </QueryContent>
    </Panel>
  )
}

interface IncidentGroupsProps extends IncidentsPanelProps {
  incidents: readonly Incident[]
}

function IncidentGroups({ monitorId, window, query, incidents }: IncidentGroupsProps) {
  const [shownGroupCount, setShownGroupCount] = useState(1)
  const [initialNewestId] = useState(incidents[0]?.id)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, dataUpdatedAt } = query
  if (incidents.length === 0) return <p class="muted">No incidents in the last {windowLabels[window]}.</p>
  const groups = groupIncidents(incidents, initialNewestId)
  const shownGroups = groups.slice(0, shownGroupCount)
  return (
    <>
      {shownGroups.map((group, index) => (
        <IncidentGroup key={index} monitorId={monitorId} incidents={group} fetchedAt={dataUpdatedAt} />
      ))}
      {(shownGroups.length < groups.length || hasNextPage) && (
        <Button
          busy={isFetchingNextPage}
          onClick={() => {
            setShownGroupCount(shownGroupCount + 1)
            if (shownGroupCount >= groups.length - 1 && hasNextPage) void fetchNextPage()
          }}
        >
          Show more
        </Button>
      )}
    </>
  )
}
