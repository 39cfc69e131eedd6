import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { providerTypeLabels, type Provider } from '../../lib/providers.ts'
import type { Form } from '../../lib/use-form.ts'
import { KindFields, shownFields } from './fields.tsx'
import type { Values } from './values.ts'

interface SettingsPanelProps {
  provider: Provider
  form: Form<Values>
  isDirty: boolean
  onDiscard: () => void
}

export function SettingsPanel({ provider, form, isDirty, onDiscard }: SettingsPanelProps) {
  const type = provider.provider_type
  return (
    <Panel title="Settings" actions={<span class="tag">{providerTypeLabels[type]}</span>}>
      <form class="form" onSubmit={form.submit} noValidate>
        <KindFields type={type} form={form} provider={provider} />
        <ProblemNotice problem={form.problem} shown={shownFields(type)} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy} disabled={!isDirty}>
            Save settings
          </Button>
          <Button kind="quiet" disabled={!isDirty} onClick={onDiscard}>
            Discard changes
          </Button>
        </div>
      </form>
    </Panel>
  )
}
