import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { getProviderName, type Provider } from '../../lib/providers.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { DeleteProvider } from '../providers/delete-provider.tsx'
import { FailureNote } from '../providers/failure-note.tsx'
import { TestButton, TestOutcome, useProviderTest } from '../providers/test-button.tsx'
import { AssignmentPanel } from './assignment-panel.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { changesOf, valuesOf } from './values.ts'

export function EditProvider({ provider }: { provider: Provider }) {
  const { id } = provider
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [hasWishes, setWishes] = useState(false)
  const test = useProviderTest(id)
  // What the form began with: a refetch in the background must not count as a change.
  const [known, setKnown] = useState(provider)
  const form = useForm(valuesOf(known), async (values) => {
    const { data } = await api.put<ItemResponse<Provider>>(`api/providers/${id}`, changesOf(known, values))
    queryClient.setQueryData(queryKeys.provider(id), data)
    setKnown(data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.providerList })
    form.setAll(valuesOf(data))
    showToast('The settings were saved.')
  })
  const isDirty = Object.keys(changesOf(known, form.values)).length > 0
  const guard = useUnsavedGuard(isDirty || hasWishes)
  return (
    <Page
      title={getProviderName(provider)}
      actions={
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <div class="provider-columns">
        <div class="stack">
          <Panel title="Test" actions={<TestButton test={test} />}>
            <div class="provider-test">
              <p class="muted">
                {isDirty
                  ? 'A test uses what is saved: save your changes first.'
                  : 'Sends a message that begins with “Test notification”, and shows what came back.'}
              </p>
              <FailureNote provider={provider} />
              <TestOutcome test={test} />
            </div>
          </Panel>
          <SettingsPanel
            provider={known}
            form={form}
            isDirty={isDirty}
            onDiscard={() => form.setAll(valuesOf(known))}
          />
        </div>
        <AssignmentPanel providerId={id} onWishes={setWishes} />
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
