/** The monitors that send alerts to a channel. Changes are saved together. */
import { useQuery } from '@tanstack/preact-query'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { queryKeys, useOverview } from '../../lib/queries.ts'
import { fetchAssignedMonitors } from './assignment-changes.ts'
import { MonitorPicker } from './monitor-picker.tsx'

interface AssignmentPanelProps {
  channelId: number
  onUnsavedChange: (hasUnsavedChanges: boolean) => void
}

export function AssignmentPanel({ channelId, onUnsavedChange }: AssignmentPanelProps) {
  const overview = useOverview()
  const assignedMonitors = useQuery({
    queryKey: queryKeys.channelMonitors(channelId),
    queryFn: ({ signal }) => fetchAssignedMonitors(channelId, signal),
  })
  const failedQuery = [overview, assignedMonitors].find((query) => query.isError && query.data === undefined)
  return (
    <Panel title="Monitors">
      {failedQuery ? (
        <ErrorState error={failedQuery.error} retry={() => void failedQuery.refetch()} />
      ) : overview.data && assignedMonitors.data ? (
        <MonitorPicker
          channelId={channelId}
          monitors={overview.data.monitors}
          assignedMonitors={assignedMonitors.data}
          onUnsavedChange={onUnsavedChange}
        />
      ) : (
        <Loading what="monitors">
          <Skeleton height="12rem" />
        </Loading>
      )}
    </Panel>
  )
}
