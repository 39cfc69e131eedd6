import { Activity } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { showProblem, showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { canSend } from '../../lib/boot.ts'
import { pluralize } from '../../lib/format.ts'
import { goBack } from '../../lib/go-back.ts'
import { type ChannelType, type Provider, providerTypeLabels } from '../../lib/providers.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { TestButton, TestResult, useUnsavedTest } from '../providers/test-button.tsx'
import { AssignChoiceFields, noAssignChoice, toAssignRequest } from './assign-choice.tsx'
import { listProviderFieldNames, ProviderFields } from './fields.tsx'
import { requireValidForm } from './form-errors.ts'
import { ProviderTypePicker } from './type-picker.tsx'
import { emptyProviderFormValues, toProviderInput } from './values.ts'

/** The channel has been added already, so an error here must not look as if adding it had failed. */
async function assignChannel(id: number, request: object | undefined): Promise<void> {
  if (request === undefined) return showToast('Channel added. Choose its monitors below.')
  try {
    const { data } = await api.post<ItemResponse<{ assigned: number }>>(`api/providers/${id}/monitors`, request)
    showToast(`Channel added and assigned to ${pluralize(data.assigned, 'monitor')}.`)
  } catch (error) {
    showProblem(error)
  }
}

export function NewProvider() {
  const [, navigate] = useLocation()
  const [type, setType] = useState<ChannelType>(canSend('email') ? 'email' : 'slack')
  const [assignChoice, setAssignChoice] = useState(noAssignChoice)
  const form = useForm(emptyProviderFormValues, async (values) => {
    requireValidForm(type, values)
    const { data } = await api.post<ItemResponse<Provider>>('api/providers', toProviderInput(type, values))
    await assignChannel(data.id, toAssignRequest(assignChoice))
    queryClient.setQueryData(queryKeys.provider(data.id), data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.providerList })
    navigate(`/providers/${data.id}`, { replace: true })
  })
  const test = useUnsavedTest(toProviderInput(type, form.values), () => requireValidForm(type, form.values))
  const guard = useUnsavedGuard(JSON.stringify(form.values) !== JSON.stringify(emptyProviderFormValues))
  return (
    <Page title="Add notification channel" isNarrow>
      <form class="sections" onSubmit={form.submit} noValidate>
        <ProviderTypePicker value={type} onValue={setType} />
        <Section title={providerTypeLabels[type]} icon={iconByChannelType[type]}>
          <div class="form">
            <ProviderFields
              type={type}
              form={form}
              errorsFor={(field) => form.errorsFor(field) ?? test.errorsFor(field)}
            />
          </div>
        </Section>
        <Section title="Monitors" icon={Activity}>
          <AssignChoiceFields value={assignChoice} onValue={setAssignChoice} />
        </Section>
        <div class="form">
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={listProviderFieldNames(type)} />
          <TestResult test={test} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              Add channel
            </Button>
            <TestButton test={test} disabled={form.busy} />
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
