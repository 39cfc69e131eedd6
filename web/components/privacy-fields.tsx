/** The fields for who can see a page: everyone, its team, or people with a password. */
import { Globe, KeyRound, Lock } from 'lucide-preact'
import { MAX_PASSWORD_LENGTH } from '../../src/shared/limits.ts'
import type { Form } from '../lib/use-form.ts'
import { ChoiceCards } from './choice-cards.tsx'
import { TextField } from './field.tsx'
import { FieldGroup } from './field-group.tsx'

/** The API's numbers for who can see a page, as text, because radio buttons have text values. */
export type PrivacyChoice = '0' | '1' | '2'

interface PrivacyValues {
  privacy: PrivacyChoice
  password: string
}

interface PrivacyFieldsProps<T extends PrivacyValues> {
  form: Form<T>
  /** Whether a password is stored already. */
  hasPassword: boolean
  /** What people can view, such as "the statistics". */
  what: string
}

export function PrivacyFields<T extends PrivacyValues>({ form, hasPassword, what }: PrivacyFieldsProps<T>) {
  const { values, set, errorsFor } = form as unknown as Form<PrivacyValues>
  const choices = [
    { value: '0', label: 'Public', icon: Globe, hint: `Anyone with the link can view ${what}.` },
    {
      value: '1',
      label: 'Private',
      icon: Lock,
      hint: `Only you and your team can view ${what}. Everyone else sees “Page not found”.`,
    },
    {
      value: '2',
      label: 'Password-protected',
      icon: KeyRound,
      hint: `Anyone with the link and the password can view ${what}.`,
    },
  ] as const
  return (
    <div class="form">
      <FieldGroup legend="Privacy" isLegendHidden errors={errorsFor('privacy')}>
        <ChoiceCards choices={choices} value={values.privacy} onValue={(value) => set('privacy', value)} />
      </FieldGroup>
      {values.privacy === '2' && (
        <TextField
          label={hasPassword ? 'New password' : 'Password'}
          hint={
            hasPassword
              ? 'Leave empty to keep the current password. If you change it, everyone will have to enter the new one.'
              : `For the people you share ${what} with. Don't use your account password.`
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
  )
}
