import { useQuery } from '@tanstack/preact-query'
import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { ErrorState, Loading, Skeleton } from '../../components/states.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { type Channel, channelTypeLabels, getChannelName } from '../../lib/channels.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { queryClient, queryKeys, useOverview } from '../../lib/queries.ts'
import { throwFieldErrors } from '../../lib/throw-field-errors.ts'
import { showToast } from '../../lib/toasts.ts'
import { type Form, useForm } from '../../lib/use-form.ts'
import { DeleteChannel } from '../channels/delete-channel.tsx'
import { FailureNote } from '../channels/failure-note.tsx'
import { TestButton, TestResult, useChannelTest, useUnsavedTest } from '../channels/test-button.tsx'
import { fetchAssignedMonitors } from './assignment-changes.ts'
import { ChannelFields, listChannelFieldNames } from './fields.tsx'
import { MonitorPicker } from './monitor-picker.tsx'
import { type ChannelFormValues, diffChannel, findChannelFormErrors, toChannelFormValues } from './values.ts'

export function EditChannel({ channel }: { channel: Channel }) {
  const { id } = channel
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [hasUnsavedMonitors, setHasUnsavedMonitors] = useState(false)
  const savedTest = useChannelTest(id)
  // The saved state that edits are compared with. A background refetch must not look like an edit.
  const [savedChannel, setSavedChannel] = useState(channel)
  const form = useForm(toChannelFormValues(savedChannel), async (values) => {
    throwFieldErrors(findChannelFormErrors(savedChannel.provider_type, values))
    const { data } = await api.put<ItemResponse<Channel>>(`api/providers/${id}`, diffChannel(savedChannel, values))
    queryClient.setQueryData(queryKeys.channel(id), data)
    setSavedChannel(data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.channelList })
    form.setAll(toChannelFormValues(data))
    showToast('Settings saved.')
  })
  const changes = diffChannel(savedChannel, form.values)
  const isDirty = Object.keys(changes).length > 0
  const unsavedTest = useUnsavedTest({ provider_id: id, ...changes }, () =>
    throwFieldErrors(findChannelFormErrors(channel.provider_type, form.values)),
  )
  const test = isDirty ? unsavedTest : savedTest
  const guard = useUnsavedGuard(isDirty || hasUnsavedMonitors)
  return (
    <Page
      title={getChannelName(channel)}
      heading={
        <span class="channel-heading">
          <ChannelIcon type={channel.provider_type} />
          {getChannelName(channel)}
        </span>
      }
    >
      <div class="channel-columns">
        <div class="stack">
          <Panel title="Test" actions={<TestButton test={test} />}>
            <div class="channel-test">
              <p class="muted">
                {isDirty
                  ? 'Tests your changes before you save them. The result appears below.'
                  : 'Sends a message that starts with “Test notification”. The result appears below.'}
              </p>
              <FailureNote channel={channel} />
              <TestResult test={test} />
            </div>
          </Panel>
          <ChannelSettingsPanel
            channel={savedChannel}
            form={form}
            errorsFor={(field) => form.errorsFor(field) ?? unsavedTest.errorsFor(field)}
            isDirty={isDirty}
            onDiscard={() => form.setAll(toChannelFormValues(savedChannel))}
          />
        </div>
        <AssignmentPanel channelId={id} onUnsavedChange={setHasUnsavedMonitors} />
      </div>
      <div class="channel-danger">
        <Section title="Delete channel" icon={Trash2} isDanger>
          <div class="section-action">
            <p class="muted">
              Monitors will no longer send alerts to this channel. Its notification history is deleted too.
            </p>
            <Button kind="danger" icon={Trash2} onClick={() => setDeleting(true)}>
              Delete
            </Button>
          </div>
        </Section>
      </div>
      {isDeleting && (
        <DeleteChannel
          channel={channel}
          onClose={() => setDeleting(false)}
          onDeleted={() =>
            goBackPast(`/notification-channels/${id}`, () => navigate('/notification-channels', { replace: true }))
          }
        />
      )}
      {guard.dialog}
    </Page>
  )
}

interface ChannelSettingsPanelProps {
  channel: Channel
  form: Form<ChannelFormValues>
  errorsFor: (field: string) => readonly string[] | undefined
  isDirty: boolean
  onDiscard: () => void
}

function ChannelSettingsPanel({ channel, form, errorsFor, isDirty, onDiscard }: ChannelSettingsPanelProps) {
  const type = channel.provider_type
  return (
    <Panel title="Settings" actions={<span class="tag">{channelTypeLabels[type]}</span>}>
      <form class="form" onSubmit={form.submit} noValidate>
        <ChannelFields type={type} form={form} errorsFor={errorsFor} channel={channel} />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={listChannelFieldNames(type)} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy} disabled={!isDirty}>
            Save changes
          </Button>
          <Button kind="quiet" disabled={!isDirty} onClick={onDiscard}>
            Discard changes
          </Button>
        </div>
      </form>
    </Panel>
  )
}

interface AssignmentPanelProps {
  channelId: number
  onUnsavedChange: (hasUnsavedChanges: boolean) => void
}

/** The monitors that send alerts to a channel. Changes are saved together. */
function AssignmentPanel({ channelId, onUnsavedChange }: AssignmentPanelProps) {
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
