/** Lists the maintenances that are in progress, planned or over. */
import { Plus, Wrench } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { type Maintenance, useMaintenances } from '../lib/maintenances.ts'
import { can } from '../lib/team.ts'
import { useLive } from '../lib/use-live.ts'
import { DeployScript } from './maintenance/deploy-script.tsx'
import { MaintenanceRow } from './maintenance/row.tsx'
import './maintenance/maintenance-page.css'

const planButton = (
  <ButtonLink kind="primary" icon={Plus} to="/maintenance/new" needs="edit">
    Plan maintenance
  </ButtonLink>
)

export default function MaintenancePage() {
  useLive()
  const [active, scheduled, past] = [useMaintenances('active'), useMaintenances('scheduled'), useMaintenances('past')]
  const failedQuery = [active, scheduled, past].find(({ data, isError }) => data === undefined && isError)
  const isEmpty = [active, scheduled, past].every(({ data }) => data?.length === 0)
  return (
    <Page title="Maintenance" actions={isEmpty ? undefined : planButton}>
      {failedQuery ? (
        <ErrorState error={failedQuery.error} retry={() => void failedQuery.refetch()} />
      ) : active.data && scheduled.data && past.data ? (
        <div class="maintenance-sections">
          {isEmpty ? (
            <NoMaintenance />
          ) : (
            <>
              <MaintenanceSection title="In progress" maintenances={sortByTime(active.data, 'ends_at')} />
              <MaintenanceSection title="Upcoming" maintenances={sortByTime(scheduled.data, 'starts_at')} />
              <MaintenanceSection title="Past" maintenances={sortByTime(past.data, 'ends_at').reverse()} />
            </>
          )}
          {can('edit') && <DeployScript />}
        </div>
      ) : (
        <Loading what="maintenance">
          <Skeleton height="5rem" />
          <Skeleton height="14rem" />
        </Loading>
      )}
    </Page>
  )
}

const sortByTime = (maintenances: readonly Maintenance[], field: 'starts_at' | 'ends_at') =>
  maintenances.toSorted((a, b) => Date.parse(a[field]) - Date.parse(b[field]))

function MaintenanceSection({ title, maintenances }: { title: string; maintenances: readonly Maintenance[] }) {
  if (maintenances.length === 0) return null
  return (
    <section class="stack">
      <h2>{title}</h2>
      <ul class="panel maintenance-list">
        {maintenances.map((maintenance) => (
          <MaintenanceRow key={maintenance.id} maintenance={maintenance} />
        ))}
      </ul>
    </section>
  )
}

function NoMaintenance() {
  return (
    <div class="panel">
      <EmptyState title="No maintenance planned" icon={Wrench}>
        <p>
          While you work on a server, checks continue, but nobody is notified and the time doesn't count as downtime. If
          a monitor is still down at the end, its channels are notified then.
        </p>
        {planButton}
      </EmptyState>
    </div>
  )
}
