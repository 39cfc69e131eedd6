import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { type Provider, providerTypeLabels } from '../../lib/providers.ts'
import type { Form } from '../../lib/use-form.ts'
import { listProviderFieldNames, ProviderFields } from './fields.tsx'
import type { ProviderFormValues } from './values.ts'

interface ProviderSettingsPanelProps {
  provider: Provider
  form: Form<ProviderFormValues>
  errorsFor: (field: string) => readonly string[] | undefined
  isDirty: boolean
  onDiscard: () => void
}

export function ProviderSettingsPanel({ provider, form, errorsFor, isDirty, onDiscard }: ProviderSettingsPanelProps) {
  const type = provider.provider_type
  return (
    <Panel title="Settings" actions={<span class="tag">{providerTypeLabels[type]}</span>}>
      <form class="form" onSubmit={form.submit} noValidate>
        <ProviderFields type={type} form={form} errorsFor={errorsFor} provider={provider} />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={listProviderFieldNames(type)} />
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
