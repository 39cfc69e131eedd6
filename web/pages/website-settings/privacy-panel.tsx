import { Globe, KeyRound, Lock, ShieldCheck } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { publicUrl } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { SettingsValues } from './values.ts'

const privacyChoices = [
  { value: '0', label: 'Public', icon: Globe, hint: 'Anyone with the link can view the statistics.' },
  {
    value: '1',
    label: 'Private',
    icon: Lock,
    hint: 'Only you can view the statistics. Everyone else sees “Page not found”.',
  },
  {
    value: '2',
    label: 'Password-protected',
    icon: KeyRound,
    hint: 'Anyone with the link and the password can view the statistics.',
  },
] as const

interface PrivacyPanelProps {
  form: Form<SettingsValues>
  hasPassword: boolean
  domain: string
}

export function PrivacyPanel({ form: { values, set, errorsFor }, hasPassword, domain }: PrivacyPanelProps) {
  return (
    <Section
      title="Privacy"
      icon={ShieldCheck}
      description={
        <span class="website-settings-address">
          Statistics page:{' '}
          <Link href={`/${domain}`}>
            {publicUrl}/<wbr />
            {domain}
          </Link>
        </span>
      }
    >
      <div class="form">
        <FieldGroup legend="Privacy" isLegendHidden errors={errorsFor('privacy')}>
          <ChoiceCards choices={privacyChoices} value={values.privacy} onValue={(value) => set('privacy', value)} />
        </FieldGroup>
        {values.privacy === '2' && (
          <TextField
            label={hasPassword ? 'New password' : 'Password'}
            hint={
              hasPassword
                ? 'Leave empty to keep the current password. If you change it, everyone will have to enter the new one.'
                : "For the people you share the statistics with. Don't use your account password."
            }
            type="password"
            autocomplete="new-password"
            maxLength={MAX_PASSWORD_LENGTH}
            required={!hasPassword}
            value={values.password}
            errors={errorsFor('password')}
            onValue={(value) => set('password', value)}
          />
        )}
      </div>
    </Section>
  )
}
