/** The monitors a provider is told about: checked and unchecked at will, and saved together. */
import { useQuery } from '@tanstack/preact-query'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { queryKeys, useOverview } from '../../lib/queries.ts'
import { readAssigned } from './assignment-changes.ts'
import { MonitorChoice } from './monitor-picker.tsx'

interface AssignmentPanelProps {
  providerId: number
  /** Whether there is something to save. */
  onWishes: (hasWishes: boolean) => void
}

export function AssignmentPanel({ providerId, onWishes }: AssignmentPanelProps) {
  const overview = useOverview()
  const assigned = useQuery({
    queryKey: queryKeys.providerMonitors(providerId),
    queryFn: ({ signal }) => readAssigned(providerId, signal),
  })
  const failed = [overview, assigned].find((query) => query.isError && query.data === undefined)
  return (
    <Panel title="Monitors it tells about">
      {failed ? (
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      ) : overview.data && assigned.data ? (
        <MonitorChoice
          providerId={providerId}
          monitors={overview.data.monitors}
          assigned={assigned.data}
          onWishes={onWishes}
        />
      ) : (
        <Loading what="monitors">
          <Skeleton height="12rem" />
        </Loading>
      )}
    </Panel>
  )
}
