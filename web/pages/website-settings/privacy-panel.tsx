import { useId } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Panel } from '../../components/page.tsx'
import { publicUrl } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { SettingsValues } from './values.ts'

const privacyChoices = [
  { value: '0', label: 'Public', hint: 'Anyone with the link can view the statistics.' },
  { value: '1', label: 'Private', hint: 'Only you can view the statistics. Everyone else sees “Page not found”.' },
  { value: '2', label: 'Password-protected', hint: 'Anyone with the link and the password can view the statistics.' },
] as const

interface PrivacyPanelProps {
  form: Form<SettingsValues>
  hasPassword: boolean
  domain: string
}

export function PrivacyPanel({ form: { values, set, errorsFor }, hasPassword, domain }: PrivacyPanelProps) {
  const id = useId()
  return (
    <Panel title="Privacy">
      <div class="form">
        <p class="muted website-settings-address">
          Statistics page: <Link href={`/${domain}`}>{`${publicUrl}/${domain}`}</Link>
        </p>
        <FieldGroup legend="Privacy" isLegendHidden errors={errorsFor('privacy')}>
          {privacyChoices.map(({ value, label, hint }) => (
            <div class="check" key={value}>
              <input
                type="radio"
                id={`${id}-${value}`}
                name={id}
                checked={values.privacy === value}
                aria-describedby={`${id}-${value}-hint`}
                onChange={() => set('privacy', value)}
              />
              <div>
                <label for={`${id}-${value}`}>{label}</label>
                <div class="field-hint" id={`${id}-${value}-hint`}>
                  {hint}
                </div>
              </div>
            </div>
          ))}
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
    </Panel>
  )
}
