import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Asked, ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useWebsite } from '../lib/queries.ts'
import { useWebsiteAt } from '../lib/website-by-domain.ts'
import { NotFoundPage } from './not-found.tsx'
import { DeletePanel } from './website-settings/delete-panel.tsx'
import { SettingsForm } from './website-settings/settings-form.tsx'
import { SnippetPanel } from './website-settings/snippet-panel.tsx'

export default function WebsiteSettingsPage({ domain }: { domain: string }) {
  const found = useWebsiteAt(domain)
  if (found === undefined || ('website' in found && !found.website.isOwner)) return <NotFoundPage />
  return (
    <Page title={`Settings of ${domain}`} isNarrow actions={<ButtonLink to={`/${domain}`}>Statistics</ButtonLink>}>
      {'website' in found ? (
        <Settings id={found.website.id} />
      ) : 'error' in found ? (
        <ErrorState error={found.error} retry={found.retry} />
      ) : (
        <Waiting />
      )}
    </Page>
  )
}

function Waiting() {
  return (
    <Loading what="the settings">
      <Skeleton height="8rem" />
      <Skeleton height="20rem" />
      <Skeleton height="20rem" />
    </Loading>
  )
}

function Settings({ id }: { id: number }) {
  return (
    <Asked query={useWebsite(id)} waiting={<Waiting />}>
      {(website) => (
        <div class="stack">
          <SnippetPanel domain={website.domain} />
          <SettingsForm website={website} />
          <DeletePanel website={website} />
        </div>
      )}
    </Asked>
  )
}
