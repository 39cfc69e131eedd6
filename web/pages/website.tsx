/** Who visits a website: for its owner, and for whoever its privacy lets look. */
import { Page } from '../components/page.tsx'
import { ErrorState } from '../components/states.tsx'
import { isSignedIn } from '../lib/boot.ts'
import { useWebsiteAt, websiteLoadedAt } from '../lib/website-by-domain.ts'
import { NotFoundPage } from './not-found.tsx'
import { StatisticsPage } from './website/statistics-page.tsx'
import { Placeholder } from './website/statistics-view.tsx'
import './website/website.css'

export default function WebsitePage({ domain }: { domain: string }) {
  return isSignedIn ? <ForUser domain={domain} /> : <ForGuest domain={domain} />
}

function ForGuest({ domain }: { domain: string }) {
  const website = websiteLoadedAt(domain)
  return website === undefined ? <NotFoundPage /> : <StatisticsPage website={website} />
}

function ForUser({ domain }: { domain: string }) {
  const found = useWebsiteAt(domain)
  if (found === undefined) return <NotFoundPage />
  if ('website' in found) return <StatisticsPage website={found.website} />
  return (
    <Page title={domain}>
      {'error' in found ? <ErrorState error={found.error} retry={found.retry} /> : <Placeholder />}
    </Page>
  )
}
