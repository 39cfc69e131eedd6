/** Who is told about this monitor. */
import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { type Assignment, useAssignments } from '../../lib/assignments.ts'
import { providerTypeLabels, getProviderName, type Provider, useProviders } from '../../lib/providers.ts'
import { AssignmentItem } from './assignment-item.tsx'
import { useAssigning } from './use-assignment-changes.ts'

export function NotificationsPanel({ id }: { id: number }) {
  const assignments = useAssignments(id)
  const providers = useProviders()
  const error = assignments.error ?? providers.error
  return (
    <Panel title="Who is told">
      {assignments.data && providers.data ? (
        <Assigned id={id} assignments={assignments.data} providers={providers.data} />
      ) : error !== null ? (
        <ErrorState error={error} retry={() => void Promise.all([assignments.refetch(), providers.refetch()])} />
      ) : (
        <Loading what="notifications">
          <Skeleton height="6rem" />
        </Loading>
      )}
    </Panel>
  )
}

interface AssignedProps {
  id: number
  assignments: readonly Assignment[]
  providers: readonly Provider[]
}

function Assigned({ id, assignments, providers }: AssignedProps) {
  const { assign, remove } = useAssigning(id)
  const place = useRef<HTMLDivElement>(null)
  async function add(providerId: number) {
    await assign(providerId, true)
    // The last that could be added takes the form with it.
    requestAnimationFrame(() => document.activeElement === document.body && place.current?.focus())
  }
  const free = providers.filter((provider) => !assignments.some(({ provider_id }) => provider_id === provider.id))
  return (
    <div class="stack" ref={place} tabIndex={-1}>
      {!assignments.some(({ enabled }) => enabled) && <NobodyNotice hasProviders={providers.length > 0} />}
      {assignments.length > 0 && (
        <ul class="monitor-assignments">
          {assignments.map((assignment) => (
            <AssignmentItem
              key={assignment.provider_id}
              assignment={assignment}
              provider={providers.find((provider) => provider.id === assignment.provider_id)}
              onEnabled={(enabled) => void assign(assignment.provider_id, enabled)}
              onRemove={() => {
                void remove(assignment)
                // Its button goes with it.
                place.current?.focus()
              }}
            />
          ))}
        </ul>
      )}
      {free.length > 0 && <AddProvider free={free} onAdd={add} />}
      <Link href="/providers/new" class="small">
        Set up another way to be told
      </Link>
    </div>
  )
}

function NobodyNotice({ hasProviders }: { hasProviders: boolean }) {
  return (
    <div class="notice notice-warn">
      <div>
        <strong>Nobody will be told.</strong>{' '}
        {hasProviders
          ? 'Add or switch on a provider, or an outage is only seen on this page.'
          : 'There is no way to tell anybody yet: set up e-mail, Slack, Telegram or SMS.'}
      </div>
    </div>
  )
}

function AddProvider({ free, onAdd }: { free: readonly Provider[]; onAdd: (providerId: number) => Promise<void> }) {
  const [chosen, setChosen] = useState('')
  const [busy, setBusy] = useState(false)
  const value = free.some(({ id }) => `${id}` === chosen) ? chosen : `${free[0]?.id}`
  return (
    <form
      class="monitor-add"
      onSubmit={async (event) => {
        event.preventDefault()
        setBusy(true)
        await onAdd(Number(value))
        setBusy(false)
      }}
    >
      <SelectField
        label="Tell also"
        value={value}
        choices={free.map((provider) => ({
          value: `${provider.id}`,
          label: `${getProviderName(provider)} (${providerTypeLabels[provider.provider_type]})`,
        }))}
        onValue={setChosen}
      />
      <Button type="submit" busy={busy}>
        Add
      </Button>
    </form>
  )
}
