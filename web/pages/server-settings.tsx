import { Rocket } from 'lucide-preact'
import { GoLiveList } from '../components/go-live-list.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { boot } from '../lib/boot.ts'
import { useGoLive, useServerSettings } from '../lib/server-settings.ts'
import { BackupSection } from './server-settings/backup-section.tsx'
import { MailSection } from './server-settings/mail-section.tsx'
import { UrlSection } from './server-settings/url-section.tsx'

export default function ServerSettingsPage() {
  return boot.user?.is_admin ? <ServerSettings /> : <NotFoundPage />
}

function ServerSettings() {
  const settings = useServerSettings()
  const goLive = useGoLive()
  return (
    <Page title="Server settings" isSettings>
      <div class="sections">
        <Section
          title="Before you go live"
          icon={Rocket}
          description="What to set before other people rely on this server. You can set the public URL and the mail server on this page."
        >
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
              <BackupSection backups={settings.backups} />
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}
