import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { canSend } from '../../lib/boot.ts'
import { goBack } from '../../lib/go-back.ts'
import { type ChannelType, type Provider, providerTypeLabels } from '../../lib/providers.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { listProviderFieldNames, ProviderFields } from './fields.tsx'
import { ProviderTypePicker } from './type-picker.tsx'
import { emptyProviderFormValues, toProviderInput } from './values.ts'

export function NewProvider() {
  const [, navigate] = useLocation()
  const [type, setType] = useState<ChannelType>(canSend('email') ? 'email' : 'slack')
  const form = useForm(emptyProviderFormValues, async (values) => {
    const { data } = await api.post<ItemResponse<Provider>>('api/providers', toProviderInput(type, values))
    queryClient.setQueryData(queryKeys.provider(data.id), data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.providerList })
    showToast('Channel added. Send a test, then choose its monitors.')
    navigate(`/providers/${data.id}`, { replace: true })
  })
  const guard = useUnsavedGuard(JSON.stringify(form.values) !== JSON.stringify(emptyProviderFormValues))
  return (
    <Page title="Add notification channel" isNarrow>
      <form class="sections" onSubmit={form.submit} noValidate>
        <ProviderTypePicker value={type} onValue={setType} />
        <Section title={providerTypeLabels[type]} icon={iconByChannelType[type]}>
          <div class="form">
            <ProviderFields type={type} form={form} />
          </div>
        </Section>
        <div class="form">
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={listProviderFieldNames(type)} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              Add channel
            </Button>
            <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate('/providers')))}>
              Cancel
            </Button>
          </div>
        </div>
      </form>
      {guard.dialog}
    </Page>
  )
}
