/** The statistics of a website, for its owner and for guests that its privacy setting admits. */
import { Page } from '../components/page.tsx'
import { ErrorState } from '../components/states.tsx'
import { isSignedIn } from '../lib/boot.ts'
import { findBootWebsite, useWebsiteByDomain } from '../lib/website-by-domain.ts'
import { NotFoundPage } from './not-found.tsx'
import { WebsiteStatisticsPage } from './website/statistics-page.tsx'
import { StatisticsSkeleton } from './website/statistics-view.tsx'
import './website/website.css'

export default function WebsitePage({ domain }: { domain: string }) {
  return isSignedIn ? <ForUser domain={domain} /> : <ForGuest domain={domain} />
}

function ForGuest({ domain }: { domain: string }) {
  const website = findBootWebsite(domain)
  return website === undefined ? <NotFoundPage /> : <WebsiteStatisticsPage website={website} />
}

function ForUser({ domain }: { domain: string }) {
  const lookup = useWebsiteByDomain(domain)
  if (lookup === undefined) return <NotFoundPage />
  if ('website' in lookup) return <WebsiteStatisticsPage website={lookup.website} />
  return (
    <Page title={domain}>
      {'error' in lookup ? <ErrorState error={lookup.error} retry={lookup.retry} /> : <StatisticsSkeleton />}
    </Page>
  )
}
