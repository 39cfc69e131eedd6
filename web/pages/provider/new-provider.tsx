import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { canSend } from '../../lib/boot.ts'
import { goBack } from '../../lib/go-back.ts'
import { providerTypeLabels, type Provider, type ProviderType } from '../../lib/providers.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { KindFields, shownFields } from './fields.tsx'
import { KindChoice } from './type-picker.tsx'
import { kindOrder } from './type-info.ts'
import { inputOf, newValues } from './values.ts'

export function NewProvider() {
  const [, navigate] = useLocation()
  const [type, setType] = useState<ProviderType>(kindOrder.find(canSend) ?? 'email')
  const form = useForm(newValues, async (values) => {
    const { data } = await api.post<ItemResponse<Provider>>('api/providers', inputOf(type, values))
    queryClient.setQueryData(queryKeys.provider(data.id), data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.providerList })
    showToast('The provider was created. Send a test, and choose its monitors.')
    navigate(`/providers/${data.id}`, { replace: true })
  })
  const guard = useUnsavedGuard(JSON.stringify(form.values) !== JSON.stringify(newValues))
  return (
    <Page title="Add a provider" isNarrow>
      <form class="stack" onSubmit={form.submit} noValidate>
        <KindChoice value={type} onValue={setType} />
        <Panel title={providerTypeLabels[type]}>
          <div class="form">
            <KindFields type={type} form={form} />
          </div>
        </Panel>
        <ProblemNotice problem={form.problem} shown={shownFields(type)} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy}>
            Add provider
          </Button>
          <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate('/providers')))}>
            Cancel
          </Button>
        </div>
      </form>
      {guard.dialog}
    </Page>
  )
}
