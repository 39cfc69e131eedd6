/** The notification channels of a monitor. */
import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { type Assignment, useAssignments } from '../../lib/assignments.ts'
import { getProviderName, type Provider, providerTypeLabels, useProviders } from '../../lib/providers.ts'
import { AssignmentItem } from './assignment-item.tsx'
import { useAssignmentChanges } from './use-assignment-changes.ts'
import './notifications-panel.css'

export function NotificationsPanel({ monitorId }: { monitorId: number }) {
  const assignments = useAssignments(monitorId)
  const providers = useProviders()
  const error = assignments.error ?? providers.error
  return (
    <Panel title="Notifications">
      {assignments.data && providers.data ? (
        <AssignedChannels monitorId={monitorId} assignments={assignments.data} providers={providers.data} />
      ) : error !== null ? (
        <ErrorState error={error} retry={() => void Promise.all([assignments.refetch(), providers.refetch()])} />
      ) : (
        <Loading what="notification channels">
          <Skeleton height="6rem" />
        </Loading>
      )}
    </Panel>
  )
}

interface AssignedChannelsProps {
  monitorId: number
  assignments: readonly Assignment[]
  providers: readonly Provider[]
}

function AssignedChannels({ monitorId, assignments, providers }: AssignedChannelsProps) {
  const { assign, changeDelay, remove } = useAssignmentChanges(monitorId)
  const container = useRef<HTMLDivElement>(null)
  async function add(providerId: number) {
    await assign(providerId, { enabled: true })
    // Adding the last available channel removes the form, and the focus with it.
    requestAnimationFrame(() => document.activeElement === document.body && container.current?.focus())
  }
  const unassignedProviders = providers.filter(
    (provider) => !assignments.some(({ provider_id }) => provider_id === provider.id),
  )
  return (
    <div class="stack" ref={container} tabIndex={-1}>
      {!assignments.some(({ enabled }) => enabled) && <NoChannelNotice hasProviders={providers.length > 0} />}
      {assignments.length > 0 && (
        <ul class="monitor-assignments">
          {assignments.map((assignment) => (
            <AssignmentItem
              key={assignment.provider_id}
              assignment={assignment}
              provider={providers.find((provider) => provider.id === assignment.provider_id)}
              onEnabled={(enabled) => void assign(assignment.provider_id, { enabled })}
              onDelay={(minutes) => void changeDelay(assignment, minutes)}
              onRemove={() => {
                void remove(assignment)
                // The clicked button disappears, so keep the focus in the panel.
                container.current?.focus()
              }}
            />
          ))}
        </ul>
      )}
      {unassignedProviders.length > 0 && <AddChannelForm providers={unassignedProviders} onAdd={add} />}
      <Link href="/providers/new" class="small">
        Set up a new channel
      </Link>
    </div>
  )
}

function NoChannelNotice({ hasProviders }: { hasProviders: boolean }) {
  return (
    <div class="notice notice-warn">
      <div>
        <strong>No notifications will be sent.</strong>{' '}
        {hasProviders
          ? 'Add or enable a channel to get alerts.'
          : 'Set up email, Slack, Teams or another channel to get alerts.'}
      </div>
    </div>
  )
}

interface AddChannelFormProps {
  providers: readonly Provider[]
  onAdd: (providerId: number) => Promise<void>
}

function AddChannelForm({ providers, onAdd }: AddChannelFormProps) {
  const [selectedId, setSelectedId] = useState('')
  const [busy, setBusy] = useState(false)
  const value = providers.some(({ id }) => `${id}` === selectedId) ? selectedId : `${providers[0]?.id}`
  return (
    <form
      class="monitor-add-channel"
      onSubmit={async (event) => {
        event.preventDefault()
        setBusy(true)
        await onAdd(Number(value))
        setBusy(false)
      }}
    >
      <SelectField
        label="Add channel"
        value={value}
        choices={providers.map((provider) => ({
          value: `${provider.id}`,
          label: `${getProviderName(provider)} (${providerTypeLabels[provider.provider_type]})`,
        }))}
        onValue={setSelectedId}
      />
      <Button type="submit" busy={busy}>
        Add
      </Button>
    </form>
  )
}
