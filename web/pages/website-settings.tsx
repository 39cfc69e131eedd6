import { ButtonLink } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { ErrorState, Loading, Skeleton } from '../components/states.tsx'
import { useOwnWebsite } from '../lib/own-website.ts'
import { useWebsite } from '../lib/queries.ts'
import { NotFound } from './not-found.tsx'
import { DeletePanel } from './website-settings/delete-panel.tsx'
import { SettingsForm } from './website-settings/settings-form.tsx'
import { SnippetPanel } from './website-settings/snippet-panel.tsx'

export default function WebsiteSettingsPage({ domain }: { domain: string }) {
  const own = useOwnWebsite(domain)
  if (own.state === 'none') return <NotFound />
  return (
    <Page title={`Settings of ${domain}`} isNarrow actions={<ButtonLink to={`/${domain}`}>Statistics</ButtonLink>}>
      {own.state === 'found' ? (
        <Settings id={own.id} />
      ) : own.state === 'failed' ? (
        <ErrorState error={own.error} retry={() => location.reload()} />
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
  const website = useWebsite(id)
  if (website.isPending) return <Waiting />
  if (website.isError) return <ErrorState error={website.error} retry={() => void website.refetch()} />
  return (
    <div class="stack">
      <SnippetPanel domain={website.data.domain} />
      <SettingsForm website={website.data} />
      <DeletePanel website={website.data} />
    </div>
  )
}
