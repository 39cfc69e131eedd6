import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { type Channel, getChannelName } from '../../lib/channels.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { DeleteChannel } from '../channels/delete-channel.tsx'
import { FailureNote } from '../channels/failure-note.tsx'
import { TestButton, TestResult, useChannelTest, useUnsavedTest } from '../channels/test-button.tsx'
import { AssignmentPanel } from './assignment-panel.tsx'
import { requireValidForm } from './form-errors.ts'
import { ChannelSettingsPanel } from './settings-panel.tsx'
import { diffChannel, toChannelFormValues } from './values.ts'

export function EditChannel({ channel }: { channel: Channel }) {
  const { id } = channel
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [hasUnsavedMonitors, setHasUnsavedMonitors] = useState(false)
  const savedTest = useChannelTest(id)
  // The saved state that edits are compared with. A background refetch must not look like an edit.
  const [savedChannel, setSavedChannel] = useState(channel)
  const form = useForm(toChannelFormValues(savedChannel), async (values) => {
    requireValidForm(savedChannel.provider_type, values)
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
    requireValidForm(channel.provider_type, form.values),
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
          onDeleted={() => goBackPast(`/providers/${id}`, () => navigate('/providers', { replace: true }))}
        />
      )}
      {guard.dialog}
    </Page>
  )
}
