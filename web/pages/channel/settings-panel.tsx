import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { type Channel, channelTypeLabels } from '../../lib/channels.ts'
import type { Form } from '../../lib/use-form.ts'
import { ChannelFields, listChannelFieldNames } from './fields.tsx'
import type { ChannelFormValues } from './values.ts'

interface ChannelSettingsPanelProps {
  channel: Channel
  form: Form<ChannelFormValues>
  errorsFor: (field: string) => readonly string[] | undefined
  isDirty: boolean
  onDiscard: () => void
}

export function ChannelSettingsPanel({ channel, form, errorsFor, isDirty, onDiscard }: ChannelSettingsPanelProps) {
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
