import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Section } from '../../components/section.tsx'
import { showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { getProviderName, type Provider } from '../../lib/providers.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { DeleteProvider } from '../providers/delete-provider.tsx'
import { FailureNote } from '../providers/failure-note.tsx'
import { TestButton, TestResult, useProviderTest, useUnsavedTest } from '../providers/test-button.tsx'
import { AssignmentPanel } from './assignment-panel.tsx'
import { requireValidForm } from './form-errors.ts'
import { ProviderSettingsPanel } from './settings-panel.tsx'
import { diffProvider, toProviderFormValues } from './values.ts'

export function EditProvider({ provider }: { provider: Provider }) {
  const { id } = provider
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [hasUnsavedMonitors, setHasUnsavedMonitors] = useState(false)
  const savedTest = useProviderTest(id)
  // The saved state that edits are compared with. A background refetch must not look like an edit.
  const [savedProvider, setSavedProvider] = useState(provider)
  const form = useForm(toProviderFormValues(savedProvider), async (values) => {
    requireValidForm(savedProvider.provider_type, values)
    const { data } = await api.put<ItemResponse<Provider>>(`api/providers/${id}`, diffProvider(savedProvider, values))
    queryClient.setQueryData(queryKeys.provider(id), data)
    setSavedProvider(data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.providerList })
    form.setAll(toProviderFormValues(data))
    showToast('Settings saved.')
  })
  const changes = diffProvider(savedProvider, form.values)
  const isDirty = Object.keys(changes).length > 0
  const unsavedTest = useUnsavedTest({ provider_id: id, ...changes }, () =>
    requireValidForm(provider.provider_type, form.values),
  )
  const test = isDirty ? unsavedTest : savedTest
  const guard = useUnsavedGuard(isDirty || hasUnsavedMonitors)
  return (
    <Page
      title={getProviderName(provider)}
      heading={
        <span class="provider-heading">
          <ChannelIcon type={provider.provider_type} />
          {getProviderName(provider)}
        </span>
      }
    >
      <div class="provider-columns">
        <div class="stack">
          <Panel title="Test" actions={<TestButton test={test} />}>
            <div class="provider-test">
              <p class="muted">
                {isDirty
                  ? 'Tests your changes before you save them. The result appears below.'
                  : 'Sends a message that starts with “Test notification”. The result appears below.'}
              </p>
              <FailureNote provider={provider} />
              <TestResult test={test} />
            </div>
          </Panel>
          <ProviderSettingsPanel
            provider={savedProvider}
            form={form}
            errorsFor={(field) => form.errorsFor(field) ?? unsavedTest.errorsFor(field)}
            isDirty={isDirty}
            onDiscard={() => form.setAll(toProviderFormValues(savedProvider))}
          />
        </div>
        <AssignmentPanel providerId={id} onUnsavedChange={setHasUnsavedMonitors} />
      </div>
      <div class="provider-danger">
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
        <DeleteProvider
          provider={provider}
          onClose={() => setDeleting(false)}
          onDeleted={() => goBackPast(`/providers/${id}`, () => navigate('/providers', { replace: true }))}
        />
      )}
      {guard.dialog}
    </Page>
  )
}
