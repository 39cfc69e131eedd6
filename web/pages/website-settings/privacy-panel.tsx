import { useId } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Panel } from '../../components/page.tsx'
import { publicUrl } from '../../lib/boot.ts'
import type { Form } from '../../lib/use-form.ts'
import type { Values } from './values.ts'

const choices = [
  { value: '0', label: 'Public', hint: 'Anybody who knows the address.' },
  { value: '1', label: 'Private', hint: 'Only you. To everybody else the page does not exist.' },
  { value: '2', label: 'Password', hint: 'Whoever knows the password.' },
] as const

interface PrivacyPanelProps {
  form: Form<Values>
  hasPassword: boolean
  domain: string
}

export function PrivacyPanel({ form: { values, set, errorsOf }, hasPassword, domain }: PrivacyPanelProps) {
  const id = useId()
  return (
    <Panel title="Who may see the statistics">
      <div class="form">
        <p class="muted website-settings-address">
          They are at <Link href={`/${domain}`}>{`${publicUrl}/${domain}`}</Link>
        </p>
        <FieldGroup legend="Privacy" isLegendHidden errors={errorsOf('privacy')}>
          {choices.map(({ value, label, hint }) => (
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
                ? 'One is set. Leave this empty to keep it; a new one locks everybody out who knew the old one.'
                : 'For whoever may see the statistics. Not your own.'
            }
            type="password"
            autocomplete="new-password"
            maxLength={MAX_PASSWORD_LENGTH}
            required={!hasPassword}
            value={values.password}
            errors={errorsOf('password')}
            onValue={(value) => set('password', value)}
          />
        )}
      </div>
    </Panel>
  )
}
