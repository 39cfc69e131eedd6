import { LogIn, UsersRound } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { currentTeamId, currentTeamName } from '../../lib/team.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { AdminPasswordField } from '../server-settings/admin-password-field.tsx'
import { RemoveButton } from '../server-settings/remove-button.tsx'
import { TestProvider } from './test-provider.tsx'

type Settings = ServerSettingsRecord['single_sign_on']

const path = 'api/server/settings/single-sign-on'

const toValues = (settings: Settings) => ({
  issuer: settings.issuer ?? '',
  client_id: settings.client_id ?? '',
  client_secret: '',
  scopes: settings.scopes ?? 'openid email profile',
  label: settings.label ?? 'Single sign-on',
  role_claim: settings.role_claim ?? '',
  role_map: settings.role_map ?? '',
  create_users: settings.create_users,
  only: settings.only,
  current_password: '',
})

type Values = ReturnType<typeof toValues>

const fields: (keyof Values)[] = [
  'issuer',
  'client_id',
  'client_secret',
  'scopes',
  'label',
  'role_claim',
  'role_map',
  'create_users',
  'only',
  'current_password',
]

/** Text that is an address, a name or a secret, and not a sentence. */
const plainText = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const

/** A field that is left empty isn't sent, so the server keeps the saved secret, or uses its default. */
const withoutEmpty = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

export function SingleSignOnForm({ settings }: { settings: Settings }) {
  const saved = toValues(settings)
  const form = useForm(saved, async (values) => {
    await api.put(path, withoutEmpty(values))
    await Promise.all([refreshServerSettings(), queryClient.invalidateQueries({ queryKey: queryKeys.signInMethods })])
    form.setAll((before) => ({ ...before, client_secret: '', current_password: '' }))
    showToast('Single sign-on saved.')
  })
  const { values, set, errorsFor } = form
  const isChanged = JSON.stringify(values) !== JSON.stringify(saved)
  const guard = useUnsavedGuard(isChanged && !form.busy)
  const isSameClient = settings.issuer === values.issuer && settings.client_id === values.client_id
  const keepsSecret = settings.has_client_secret && isSameClient
  const text = (name: 'issuer' | 'client_id' | 'scopes' | 'label' | 'role_claim' | 'role_map') => ({
    value: values[name],
    errors: errorsFor(name),
    onValue: (value: string) => set(name, value),
  })
  return (
    <form class="sections" onSubmit={form.submit}>
      <Section
        title="Identity provider"
        icon={LogIn}
        description="OpenID Connect, with Keycloak, Authentik, Google, Entra…"
      >
        <div class="form">
          <TextField
            label="Issuer"
            hint="The provider's URL, exactly as the provider spells it."
            placeholder="https://id.example.com/realms/main"
            inputMode="url"
            {...plainText}
            required
            {...text('issuer')}
          />
          <TextField label="Client ID" {...plainText} required {...text('client_id')} />
          <TextField
            label="Client secret"
            hint={keepsSecret ? 'Leave empty to keep the saved secret.' : undefined}
            type="password"
            secretName="client secret"
            autocomplete="off"
            required={!keepsSecret}
            placeholder={keepsSecret ? 'Saved: ••••••••' : undefined}
            value={values.client_secret}
            errors={errorsFor('client_secret')}
            onValue={(secret) => set('client_secret', secret)}
          />
          <TextField label="Scopes" {...plainText} required {...text('scopes')} />
          <TextField
            label="Text of the button"
            hint="On the sign-in page."
            autocomplete="off"
            required
            {...text('label')}
          />
          <TestProvider
            input={withoutEmpty({
              issuer: values.issuer,
              client_id: values.client_id,
              client_secret: values.client_secret,
            })}
          />
        </div>
      </Section>
      <Section title="People" icon={UsersRound} description="Who can sign in this way, and with which roles.">
        <div class="form">
          <CheckField
            label="Create accounts"
            hint="Everybody whom the provider lets in gets an account. Otherwise, people link their existing account under Security."
            isSwitch
            checked={values.create_users}
            onValue={(isOn) => set('create_users', isOn)}
          />
          <CheckField
            label="The only way to sign in"
            hint="Nobody can sign in with a password or passkey any more. The command line on the server still works."
            isSwitch
            checked={values.only}
            errors={errorsFor('only')}
            onValue={(isOn) => set('only', isOn)}
          />
          <TextField
            label="Role claim"
            hint="Optional. The claim with the groups or roles of a person, such as groups."
            {...plainText}
            {...text('role_claim')}
          />
          <TextField
            label="Roles in teams"
            hint={`Optional. Entries such as staff=${currentTeamId}:viewer: the value of the claim, the id of the team, the role. The id of ${currentTeamName ?? 'your team'} is ${currentTeamId}.`}
            placeholder={`belfry-admins=${currentTeamId}:admin,staff=${currentTeamId}:viewer`}
            {...plainText}
            {...text('role_map')}
          />
        </div>
      </Section>
      <div class={isChanged ? 'form-bar' : 'form-saved'}>
        <AdminPasswordField form={form} />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={fields} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy} disabled={!isChanged}>
            Test and save
          </Button>
          {settings.source === 'page' && (
            <RemoveButton
              label="single sign-on"
              path={path}
              consequence="Nobody can sign in this way any more. Accounts stay."
              onRemoved={() =>
                form.setAll(
                  toValues({
                    ...settings,
                    issuer: null,
                    client_id: null,
                    scopes: null,
                    label: null,
                    role_claim: null,
                    role_map: null,
                    create_users: false,
                    only: false,
                  }),
                )
              }
            />
          )}
        </div>
      </div>
      {guard.dialog}
    </form>
  )
}
