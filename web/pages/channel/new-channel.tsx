import { Activity } from 'lucide-preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { canSend } from '../../lib/boot.ts'
import { type Channel, type ChannelType, channelGroups, channelTypeLabels, useChannels } from '../../lib/channels.ts'
import { pluralize } from '../../lib/format.ts'
import { goBack } from '../../lib/go-back.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { throwFieldErrors } from '../../lib/throw-field-errors.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { TestButton, TestResult, useUnsavedTest } from '../channels/test-button.tsx'
import { AssignChoiceFields, noAssignChoice, toAssignRequest } from './assign-choice.tsx'
import { ChannelFields, listChannelFieldNames } from './fields.tsx'
import { channelTypeInfo } from './type-info.ts'
import { emptyChannelFormValues, findChannelFormErrors, toChannelInput } from './values.ts'

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

export function NewChannel() {
  const [, navigate] = useLocation()
  const [type, setType] = useState<ChannelType>(canSend('email') ? 'email' : 'slack')
  const [assignChoice, setAssignChoice] = useState(noAssignChoice)
  const form = useForm(emptyChannelFormValues, async (values) => {
    throwFieldErrors(findChannelFormErrors(type, values))
    const { data } = await api.post<ItemResponse<Channel>>('api/providers', toChannelInput(type, values))
    await assignChannel(data.id, toAssignRequest(assignChoice))
    queryClient.setQueryData(queryKeys.channel(data.id), data)
    void queryClient.invalidateQueries({ queryKey: queryKeys.channelList })
    navigate(`/notification-channels/${data.id}`, { replace: true })
  })
  const test = useUnsavedTest(toChannelInput(type, form.values), () =>
    throwFieldErrors(findChannelFormErrors(type, form.values)),
  )
  // Monitors that are added after the first channel would otherwise alert nobody.
  const isFirst = useChannels().data?.length === 0
  useEffect(() => {
    if (isFirst) form.set('assign_by_default', true)
  }, [isFirst])
  const initialValues = { ...emptyChannelFormValues, assign_by_default: isFirst }
  const guard = useUnsavedGuard(JSON.stringify(form.values) !== JSON.stringify(initialValues))
  return (
    <Page title="Add notification channel" isNarrow>
      <form class="sections" onSubmit={form.submit} noValidate>
        <ChannelTypePicker value={type} onValue={setType} />
        <Section title={channelTypeLabels[type]} icon={iconByChannelType[type]}>
          <div class="form">
            <ChannelFields
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
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={listChannelFieldNames(type)} />
          <TestResult test={test} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              Add channel
            </Button>
            <TestButton test={test} disabled={form.busy} />
            <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate('/notification-channels')))}>
              Cancel
            </Button>
          </div>
        </div>
      </form>
      {guard.dialog}
    </Page>
  )
}

const describeType = (type: ChannelType) =>
  `${channelTypeInfo[type].summary}${canSend(type) ? '' : ' · Not configured on this server'}`

function ChannelTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  const name = useId()
  return (
    <FieldGroup legend="Channel type">
      <div class="channel-types">
        {channelGroups.map(({ name: group, label, types }) => (
          <fieldset key={group} class={`channel-type-group channel-${group}`}>
            <legend>{label}</legend>
            <ChoiceCards
              layout="compact"
              name={name}
              value={value}
              onValue={onValue}
              choices={types.map((type) => ({
                value: type,
                label: channelTypeLabels[type],
                hint: describeType(type),
                icon: iconByChannelType[type],
              }))}
            />
          </fieldset>
        ))}
      </div>
      <p class="field-hint" aria-hidden="true">
        {describeType(value)}
      </p>
    </FieldGroup>
  )
}
