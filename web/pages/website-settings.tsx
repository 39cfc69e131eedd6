import { ChartNoAxesColumn } from 'lucide-preact'
import { ButtonLink } from '../components/button.tsx'
import { HistoryLink } from '../components/history-link.tsx'
import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { SampleBadge, SampleNotice } from '../components/sample-data.tsx'
import { ErrorState, Loading, QueryContent, Skeleton } from '../components/states.tsx'
import { useWebsite } from '../lib/queries.ts'
import { useWebsiteByDomain } from '../lib/website-by-domain.ts'
import { DeleteWebsitePanel } from './website-settings/delete-panel.tsx'
import { DomainWatchPanel } from './website-settings/domain-watch-panel.tsx'
import { MoveWebsitePanel } from './website-settings/move-panel.tsx'
import { SettingsForm } from './website-settings/settings-form.tsx'
import { SnippetPanel } from './website-settings/snippet-panel.tsx'

export default function WebsiteSettingsPage({ domain }: { domain: string }) {
  const lookup = useWebsiteByDomain(domain)
  if (lookup === undefined || ('website' in lookup && !lookup.website.isOwner)) return <NotFoundPage />
  return (
    <Page
      title={`${domain} settings`}
      heading={
        <>
          {domain} settings {'website' in lookup && lookup.website.isSample && <SampleBadge />}
        </>
      }
      isSettings
      actions={
        <ButtonLink to={`/${domain}`} icon={ChartNoAxesColumn}>
          Statistics
        </ButtonLink>
      }
    >
      {'website' in lookup ? (
        <Settings id={lookup.website.id} />
      ) : 'error' in lookup ? (
        <ErrorState error={lookup.error} retry={lookup.retry} />
      ) : (
        <SettingsSkeleton />
      )}
    </Page>
  )
}

function SettingsSkeleton() {
  return (
    <Loading what="settings">
      <Skeleton height="8rem" />
      <Skeleton height="20rem" />
      <Skeleton height="20rem" />
    </Loading>
  )
}

function Settings({ id }: { id: number }) {
  return (
    <QueryContent query={useWebsite(id)} loading={<SettingsSkeleton />}>
      {(website) => (
        <div class="sections">
          {website.is_sample ? <SampleNotice /> : <SnippetPanel website={website} />}
          <SettingsForm website={website} />
          {!website.is_sample && <DomainWatchPanel website={website} />}
          <MoveWebsitePanel website={website} />
          <DeleteWebsitePanel website={website} />
          <HistoryLink object="website" id={website.id} />
        </div>
      )}
    </QueryContent>
  )
}
