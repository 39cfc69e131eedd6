import { Mail } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { defaultMailPorts, type MailSecurity } from '../../../src/shared/server-settings.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { AdminPasswordField, toAdminProof } from './admin-password-field.tsx'
import { EnvironmentNote } from './environment-note.tsx'
import { RemoveButton } from './remove-button.tsx'
import { TestEmail } from './test-email.tsx'
import './mail-section.css'

type MailRecord = ServerSettingsRecord['mail']

const path = 'api/server/settings/mail'

const securityChoices = [
  { value: 'starttls', label: 'STARTTLS (usually port 587)' },
  { value: 'tls', label: 'TLS (usually port 465)' },
  { value: 'none', label: 'None (only for a mail server on this machine)' },
] as const

const toValues = ({ host, port, security, username, from }: MailRecord) => ({
  host: host ?? '',
  port: String(port ?? defaultMailPorts.starttls),
  security: security ?? ('starttls' as MailSecurity),
  username: username ?? '',
  password: '',
  from: from ?? '',
  current_password: '',
})

export function MailSection({ mail }: { mail: MailRecord }) {
  return (
    <Section
      title="Mail server"
      icon={Mail}
      description="Sends alerts by email, weekly reports, and updates to the subscribers of status pages."
    >
      {mail.source === 'environment' ? <FixedMail mail={mail} /> : <MailForm mail={mail} />}
      {mail.source === 'page' && (
        <div class="form mail-test">
          <TestEmail mail={mail} />
        </div>
      )}
    </Section>
  )
}

function FixedMail({ mail }: { mail: MailRecord }) {
  const { host, port, from } = mail
  return (
    <div class="form">
      <dl class="mail-facts">
        <dt>Server</dt>
        <dd>{port === null ? host : `${host}:${port}`}</dd>
        <dt>Sender</dt>
        <dd>{from}</dd>
      </dl>
      <EnvironmentNote variables={['BELFRY_SMTP_URL', 'BELFRY_MAIL_FROM']} />
      <TestEmail mail={mail} />
    </div>
  )
}

function MailForm({ mail }: { mail: MailRecord }) {
  const form = useForm(toValues(mail), async ({ current_password, ...values }) => {
    const proof = toAdminProof(current_password)
    await api.put(path, { ...values, port: Number(values.port), ...proof })
    await refreshServerSettings()
    setAll((before) => ({ ...before, password: '', current_password: '' }))
    showToast(`Mail server saved. A test email is on its way to ${boot.user?.email}.`)
  })
  const { values, set, setAll, submit, busy, problem, errorsFor } = form
  const isSameLogin = mail.host === values.host && (mail.username ?? '') === values.username
  const keepsPassword = mail.has_password && isSameLogin
  /** A port that the user chose stays as it is. */
  const setSecurity = (security: MailSecurity) =>
    setAll((before) => ({
      ...before,
      security,
      port:
        before.port === String(defaultMailPorts[before.security]) ? String(defaultMailPorts[security]) : before.port,
    }))
  return (
    <form class="form" onSubmit={submit}>
      <div class="mail-server">
        <TextField
          label="Host"
          placeholder="mail.example.com"
          inputMode="url"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          value={values.host}
          errors={errorsFor('host')}
          onValue={(host) => set('host', host)}
        />
        <TextField
          label="Port"
          type="number"
          min={1}
          max={65_535}
          required
          value={values.port}
          errors={errorsFor('port')}
          onValue={(port) => set('port', port)}
        />
      </div>
      <SelectField
        label="Encryption"
        choices={securityChoices}
        value={values.security}
        errors={errorsFor('security')}
        onValue={setSecurity}
      />
      <TextField
        label="User name"
        hint="Leave empty if the mail server needs no login."
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={values.username}
        errors={errorsFor('username')}
        onValue={(username) => set('username', username)}
      />
      <TextField
        label="Password"
        hint={
          keepsPassword
            ? 'Leave empty to keep the saved password.'
            : mail.has_password
              ? 'Enter it again: Belfry sends the saved password only to the host it was saved for.'
              : undefined
        }
        type="password"
        autocomplete="off"
        placeholder={keepsPassword ? 'Saved: ••••••••' : undefined}
        value={values.password}
        errors={errorsFor('password')}
        onValue={(password) => set('password', password)}
      />
      <TextField
        label="Sender"
        hint="An address that the mail server accepts, optionally with a name."
        placeholder="Belfry <belfry@example.com>"
        autocomplete="off"
        required
        value={values.from}
        errors={errorsFor('from')}
        onValue={(from) => set('from', from)}
      />
      <p class="small muted">
        Before saving, Belfry sends a test email to <strong>{boot.user?.email}</strong>. The password is stored
        encrypted and never shown again.
      </p>
      <AdminPasswordField form={form} />
      <ProblemNotice
        problem={problem}
        fieldsWithOwnErrors={['host', 'port', 'security', 'username', 'password', 'from', 'current_password']}
      />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={busy}>
          Test and save<span class="hidden-text"> mail server</span>
        </Button>
        {mail.source === 'page' && (
          <RemoveButton
            label="mail server"
            path={path}
            consequence="Belfry will send no alerts by email, no weekly reports, and no updates to subscribers."
            onRemoved={() =>
              setAll(toValues({ ...mail, host: null, port: null, security: null, username: null, from: null }))
            }
          />
        )}
      </div>
    </form>
  )
}
