/** Adds a notification channel to the selected monitors, or removes it from them. */
import { useState } from 'preact/hooks'
import { ButtonLink } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import {
  type AssignmentStep,
  fetchSavedAssignments,
  planAssigning,
  planRemoving,
  runAssignmentSteps,
} from '../../lib/bulk-assignment.ts'
import { type Channel, describeChannel, getChannelName, useChannels } from '../../lib/channels.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { formatMonitorCount } from './use-bulk-action.ts'

interface ChannelDialogProps {
  action: 'add_channel' | 'remove_channel'
  monitorIds: readonly number[]
  onClose: () => void
}

export function ChannelDialog(props: ChannelDialogProps) {
  const count = formatMonitorCount(props.monitorIds.length)
  const title = props.action === 'add_channel' ? `Add a channel to ${count}` : `Remove a channel from ${count}`
  return (
    <Dialog title={title} onClose={props.onClose}>
      <QueryContent
        query={useChannels()}
        loading={
          <Loading what="notification channels">
            <Skeleton height="6rem" />
          </Loading>
        }
      >
        {(channels) =>
          channels.length === 0 ? (
            <div class="form">
              <p>No notification channels yet.</p>
              <div>
                <ButtonLink kind="primary" to="/notification-channels/new">
                  Set up a channel
                </ButtonLink>
              </div>
            </div>
          ) : (
            <ChannelForm {...props} channels={channels} />
          )
        }
      </QueryContent>
    </Dialog>
  )
}

function ChannelForm({ action, monitorIds, channels, onClose }: ChannelDialogProps & { channels: readonly Channel[] }) {
  const [channelId, setChannelId] = useState(`${channels[0]?.id}`)
  const isAdding = action === 'add_channel'
  const form = useForm({}, async () => {
    const channel = channels.find(({ id }) => `${id}` === channelId) as Channel
    const savedAssignments = await fetchSavedAssignments(channel.id)
    const { steps, undoSteps } = (isAdding ? planAssigning : planRemoving)(savedAssignments, monitorIds)
    await runAndRefetch(channel.id, steps)
    onClose()
    const count = steps.reduce((sum, step) => sum + step.monitorIds.length, 0)
    const name = getChannelName(channel)
    if (count === 0) {
      showToast(isAdding ? `All selected monitors already notify ${name}.` : `No selected monitor notifies ${name}.`)
      return
    }
    const text = isAdding
      ? `${name} added to ${formatMonitorCount(count)}.`
      : `${name} removed from ${formatMonitorCount(count)}.`
    showToast(text, { undo: () => void undo(channel.id, undoSteps) })
  })
  return (
    <form class="form" onSubmit={form.submit}>
      <SelectField
        label="Channel"
        hint={isAdding ? 'The channel is notified immediately. To add a delay, open the page of a monitor.' : undefined}
        value={channelId}
        choices={channels.map((channel) => ({
          value: `${channel.id}`,
          label: describeChannel(channel),
        }))}
        onValue={setChannelId}
      />
      <ProblemNotice problem={form.problem} />
      <DialogActions action={isAdding ? 'Add channel' : 'Remove channel'} busy={form.busy} onCancel={onClose} />
    </form>
  )
}

/** Refetches the assignments even after a failure, because some of the changes may have been applied. */
async function runAndRefetch(channelId: number, steps: readonly AssignmentStep[]): Promise<void> {
  try {
    await runAssignmentSteps(channelId, steps)
  } finally {
    void queryClient.invalidateQueries({ queryKey: queryKeys.channels })
  }
}

async function undo(channelId: number, steps: readonly AssignmentStep[]): Promise<void> {
  try {
    await runAndRefetch(channelId, steps)
    showToast('Changes undone.')
  } catch (error) {
    showProblem(error)
  }
}
