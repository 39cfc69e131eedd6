/** The notification channels of a monitor. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { type Assignment, useAssignments } from '../../lib/assignments.ts'
import { type Channel, describeChannel, useChannels } from '../../lib/channels.ts'
import { can } from '../../lib/team.ts'
import { AssignmentItem } from './assignment-item.tsx'
import { useAssignmentChanges } from './use-assignment-changes.ts'
import './notifications-panel.css'

export function NotificationsPanel({ monitorId }: { monitorId: number }) {
  const assignments = useAssignments(monitorId)
  const channels = useChannels()
  const error = assignments.error ?? channels.error
  return (
    <Panel title="Notification channels">
      {assignments.data && channels.data ? (
        <AssignedChannels monitorId={monitorId} assignments={assignments.data} channels={channels.data} />
      ) : error !== null ? (
        <ErrorState error={error} retry={() => void Promise.all([assignments.refetch(), channels.refetch()])} />
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
  channels: readonly Channel[]
}

function AssignedChannels({ monitorId, assignments, channels }: AssignedChannelsProps) {
  const { assign, changeDelay, remove } = useAssignmentChanges(monitorId)
  const container = useRef<HTMLDivElement>(null)
  /** A selector of the control to focus if the focused one disappears when the list changes. */
  const nextFocus = useRef('')
  useLayoutEffect(() => {
    if (nextFocus.current === '' || document.activeElement !== document.body) return
    container.current?.querySelector<HTMLElement>(nextFocus.current)?.focus()
    nextFocus.current = ''
  }, [assignments])
  async function add(channelId: number) {
    // Adding the last available channel removes the form that has the focus.
    nextFocus.current = `#assignment-${channelId} input`
    await assign(channelId, { enabled: true })
  }
  /** The clicked button disappears, so the focus moves to the button of a neighbor, or to the form if there is none. */
  async function removeAndMoveFocus(assignment: Assignment) {
    const index = assignments.indexOf(assignment)
    const neighbor = assignments[index + 1] ?? assignments[index - 1]
    nextFocus.current = neighbor === undefined ? 'form select' : `#assignment-${neighbor.provider_id} > button`
    await remove(assignment)
  }
  const unassignedChannels = channels.filter(
    (channel) => !assignments.some(({ provider_id }) => provider_id === channel.id),
  )
  return (
    <div class="stack" ref={container}>
      {!assignments.some(({ enabled }) => enabled) && <NoChannelNotice hasChannels={channels.length > 0} />}
      {assignments.length > 0 && (
        <ul class="monitor-assignments">
          {assignments.map((assignment) => (
            <AssignmentItem
              key={assignment.provider_id}
              assignment={assignment}
              channel={channels.find((channel) => channel.id === assignment.provider_id)}
              onEnabled={(enabled) => void assign(assignment.provider_id, { enabled })}
              onDelay={(minutes) => void changeDelay(assignment, minutes)}
              onRemove={() => void removeAndMoveFocus(assignment)}
            />
          ))}
        </ul>
      )}
      {can('edit') && unassignedChannels.length > 0 && <AddChannelForm channels={unassignedChannels} onAdd={add} />}
      {can('edit') && (
        <Link href="/notification-channels/new" class="small">
          Set up a new channel
        </Link>
      )}
    </div>
  )
}

function NoChannelNotice({ hasChannels }: { hasChannels: boolean }) {
  return (
    <div class="notice notice-warn">
      <div>
        <strong>No notifications will be sent.</strong>{' '}
        {!can('edit')
          ? null
          : hasChannels
            ? 'Add or enable a channel to get alerts.'
            : 'Set up email, Slack, Teams or another channel to get alerts.'}
      </div>
    </div>
  )
}

interface AddChannelFormProps {
  channels: readonly Channel[]
  onAdd: (channelId: number) => Promise<void>
}

function AddChannelForm({ channels, onAdd }: AddChannelFormProps) {
  const [selectedId, setSelectedId] = useState('')
  const [busy, setBusy] = useState(false)
  const value = channels.some(({ id }) => `${id}` === selectedId) ? selectedId : `${channels[0]?.id}`
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
        choices={channels.map((channel) => ({
          value: `${channel.id}`,
          label: describeChannel(channel),
        }))}
        onValue={setSelectedId}
      />
      <Button type="submit" busy={busy}>
        Add
      </Button>
    </form>
  )
}
