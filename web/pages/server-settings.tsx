import { LogIn, Rocket } from 'lucide-preact'
import type { ServerSettingsRecord } from '../../src/server-settings/schema.ts'
import { ButtonLink } from '../components/button.tsx'
import { GoLiveList } from '../components/go-live-list.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { SINGLE_SIGN_ON_PATH } from '../lib/address.ts'
import { boot } from '../lib/boot.ts'
import { useGoLive, useServerSettings } from '../lib/server-settings.ts'
import { BackupSection } from './server-settings/backup-section.tsx'
import { MailSection } from './server-settings/mail-section.tsx'
import { UrlSection } from './server-settings/url-section.tsx'

export default function ServerSettingsPage() {
  return boot.user?.is_admin ? <ServerSettings /> : <NotFoundPage />
}

/** Names the settings that can be changed on the page: those that the environment doesn't set. */
function describeGoLive(settings: ServerSettingsRecord | undefined): string {
  const intro = 'What to set before other people rely on this server.'
  if (settings === undefined) return intro
  const changeable = [
    ...(settings.url.source === 'environment' ? [] : ['the public URL']),
    ...(settings.mail.source === 'environment' ? [] : ['the mail server']),
  ]
  return changeable.length === 0 ? intro : `${intro} You can set ${changeable.join(' and ')} on this page.`
}

function ServerSettings() {
  const settings = useServerSettings()
  const goLive = useGoLive()
  return (
    <Page title="Server settings" isSettings>
      <div class="sections">
        <Section title="Go live" icon={Rocket} description={describeGoLive(settings.data)}>
          <QueryContent query={goLive} loading={<Skeleton height="22rem" />}>
            {(items) => <GoLiveList items={items} />}
          </QueryContent>
        </Section>
        <QueryContent
          query={settings}
          loading={
            <Loading what="settings">
              <Skeleton height="12rem" />
              <Skeleton height="28rem" />
            </Loading>
          }
        >
          {(settings) => (
            <>
              <UrlSection url={settings.url} />
              <MailSection mail={settings.mail} />
              <SingleSignOnSection settings={settings.single_sign_on} />
              <BackupSection backups={settings.backups} />
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}

function SingleSignOnSection({ settings }: { settings: ServerSettingsRecord['single_sign_on'] }) {
  return (
    <Section title="Single sign-on" icon={LogIn} description="People sign in with the account that they have at work.">
      <div class="section-action">
        <p class="muted">{settings.source === null ? 'Not set up.' : `Set up with ${settings.issuer}.`}</p>
        <ButtonLink to={SINGLE_SIGN_ON_PATH}>{settings.source === null ? 'Set up' : 'Open'}</ButtonLink>
      </div>
    </Section>
  )
}
