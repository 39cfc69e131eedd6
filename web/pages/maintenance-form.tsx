/** Plans a new maintenance, or changes an existing one. */

import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { isNotFound } from '../lib/api.ts'
import { useMaintenance } from '../lib/maintenances.ts'
import { MaintenanceForm } from './maintenance/form.tsx'
import { createMaintenanceValues, toMaintenanceValues } from './maintenance/values.ts'
import './maintenance/maintenance-page.css'

export default function MaintenanceFormPage({ id }: { id?: number }) {
  return id === undefined ? (
    <Page title="Plan maintenance" isSettings>
      <MaintenanceForm initial={createMaintenanceValues()} />
    </Page>
  ) : (
    <EditMaintenance id={id} />
  )
}

function EditMaintenance({ id }: { id: number }) {
  const maintenance = useMaintenance(id)
  const { data, error } = maintenance
  if (data === undefined && isNotFound(error)) return <NotFoundPage />
  return (
    <Page title={data ? `Edit ${data.title}` : 'Edit maintenance'} isSettings>
      <QueryContent
        query={maintenance}
        loading={
          <Loading what="maintenance">
            <Skeleton height="12rem" />
            <Skeleton height="16rem" />
          </Loading>
        }
      >
        {(maintenance) => <MaintenanceForm maintenance={maintenance} initial={toMaintenanceValues(maintenance)} />}
      </QueryContent>
    </Page>
  )
}
