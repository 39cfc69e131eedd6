/** Where admins of the server set up single sign-on by OpenID Connect. */
import { Copy } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../src/server-settings/schema.ts'
import { ButtonLink } from '../components/button.tsx'
import { CodeLine } from '../components/copy-button.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { SERVER_SETTINGS_PATH } from '../lib/address.ts'
import { boot } from '../lib/boot.ts'
import { useServerSettings } from '../lib/server-settings.ts'
import { FixedSettings } from './single-sign-on/fixed-settings.tsx'
import { SingleSignOnForm } from './single-sign-on/form.tsx'
import './single-sign-on/single-sign-on.css'

export default function SingleSignOnPage() {
  return boot.user?.is_admin ? <SingleSignOn /> : <NotFoundPage />
}

function SingleSignOn() {
  return (
    <Page title="Single sign-on" isSettings parent={{ href: SERVER_SETTINGS_PATH, label: 'Server settings' }}>
      <div class="sections">
        <QueryContent
          query={useServerSettings()}
          loading={
            <Loading what="settings">
              <Skeleton height="6rem" />
              <Skeleton height="30rem" />
            </Loading>
          }
        >
          {({ single_sign_on: settings }) => (
            <>
              <RedirectSection settings={settings} />
              {settings.source === 'environment' ? (
                <FixedSettings settings={settings} />
              ) : (
                <SingleSignOnForm settings={settings} />
              )}
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}

function RedirectSection({ settings }: { settings: ServerSettingsRecord['single_sign_on'] }) {
  return (
    <Section
      title="Redirect address"
      icon={Copy}
      description="Register Belfry as a client at your identity provider, with this redirect address."
    >
      {settings.redirect_url === null ? (
        <div class="section-action">
          <p class="muted">Set the public URL first. The provider sends people back to it.</p>
          <ButtonLink to={SERVER_SETTINGS_PATH}>Server settings</ButtonLink>
        </div>
      ) : (
        <CodeLine text={settings.redirect_url} label="Copy" />
      )}
    </Section>
  )
}
