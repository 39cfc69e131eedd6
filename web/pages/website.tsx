/** Who visits a website: for its owner, and for whoever its privacy lets look. */
import { Page } from '../components/page.tsx'
import { ErrorState } from '../components/states.tsx'
import { isSignedIn } from '../lib/boot.ts'
import { useWebsiteAt, websiteLoadedAt } from '../lib/website-at.ts'
import { NotFound } from './not-found.tsx'
import { Placeholder } from './website/statistics.tsx'
import { StatisticsPage } from './website/statistics-page.tsx'
import './website/website.css'

export default function WebsitePage({ domain }: { domain: string }) {
  return isSignedIn ? <ForUser domain={domain} /> : <ForGuest domain={domain} />
}

function ForGuest({ domain }: { domain: string }) {
  const website = websiteLoadedAt(domain)
  return website === undefined ? <NotFound /> : <StatisticsPage website={website} />
}

function ForUser({ domain }: { domain: string }) {
  const found = useWebsiteAt(domain)
  if (found === undefined) return <NotFound />
  if ('website' in found) return <StatisticsPage website={found.website} />
  return (
    <Page title={domain}>
      {'error' in found ? <ErrorState error={found.error} retry={found.retry} /> : <Placeholder />}
    </Page>
  )
}
