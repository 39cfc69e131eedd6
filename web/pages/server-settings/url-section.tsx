import { Globe } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { addScheme } from '../../lib/address.ts'
import { api } from '../../lib/api.ts'
import { pageUrl } from '../../lib/boot.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { AdminPasswordField, toAdminProof } from './admin-password-field.tsx'
import { EnvironmentNote } from './environment-note.tsx'
import { RemoveButton } from './remove-button.tsx'

const path = 'api/server/settings/url'

/** The address of this page is probably the public URL if it has a certificate. */
const suggestedUrl = pageUrl.startsWith('https:') ? pageUrl : ''

export function UrlSection({ url: { source, value } }: { url: ServerSettingsRecord['url'] }) {
  const form = useForm({ url: value ?? suggestedUrl, current_password: '' }, async ({ url, current_password }) => {
    await api.put(path, { url: addScheme(url), ...toAdminProof(current_password) })
    await refreshServerSettings()
    form.set('current_password', '')
    showToast('Public URL saved. Belfry responds there.')
  })
  const { values, set, submit, busy, problem, errorsFor } = form
  const isFixed = source === 'environment'
  return (
    <Section
      title="Public URL"
      icon={Globe}
      description="The address at which people reach this server. Links in alerts, reports and status pages lead there, and the tracking snippet loads its script from there."
    >
      <form class="form" onSubmit={submit}>
        <TextField
          label="URL"
          hint={
            isFixed ? undefined : 'Include the path if your reverse proxy serves Belfry under one, such as /belfry.'
          }
          placeholder="https://stats.example.com"
          inputMode="url"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          readOnly={isFixed}
          value={isFixed ? (value ?? '') : values.url}
          errors={errorsFor('url')}
          onValue={(url) => set('url', url)}
        />
        {isFixed ? (
          <EnvironmentNote variables={['BELFRY_URL']} />
        ) : (
          <>
            <p class="small muted">
              Before saving, Belfry requests the URL and checks that this server responds. You can still sign in at the
              address that you use now.
            </p>
            <AdminPasswordField form={form} />
            <ProblemNotice problem={problem} fieldsWithOwnErrors={['url', 'current_password']} />
            <div class="form-actions">
              <Button kind="primary" type="submit" busy={busy}>
                Test and save<span class="hidden-text"> public URL</span>
              </Button>
              {source === 'page' && (
                <RemoveButton
                  label="public URL"
                  path={path}
                  consequence="Alerts and reports will have no links, and status pages will have no subscribe form and no custom domain."
                  onRemoved={() => set('url', suggestedUrl)}
                />
              )}
            </div>
          </>
        )}
      </form>
    </Section>
  )
}
