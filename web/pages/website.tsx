/** The statistics of a website, for the members of its team, and for visitors if its privacy setting allows it. */

import { NotFoundPage } from '../components/not-found-page.tsx'
import { Page } from '../components/page.tsx'
import { ErrorState } from '../components/states.tsx'
import { isSignedIn } from '../lib/boot.ts'
import { findBootWebsite, useWebsiteByDomain } from '../lib/website-by-domain.ts'
import { WebsiteStatisticsPage } from './website/statistics-page.tsx'
import { StatisticsSkeleton } from './website/statistics-skeleton.tsx'
import './website/website.css'

export default function WebsitePage({ domain }: { domain: string }) {
  return isSignedIn ? <SignedInWebsitePage domain={domain} /> : <VisitorWebsitePage domain={domain} />
}

function VisitorWebsitePage({ domain }: { domain: string }) {
  const website = findBootWebsite(domain)
  return website === undefined ? <NotFoundPage /> : <WebsiteStatisticsPage website={website} />
}

function SignedInWebsitePage({ domain }: { domain: string }) {
  const lookup = useWebsiteByDomain(domain)
  if (lookup === undefined) return <NotFoundPage />
  if ('website' in lookup) return <WebsiteStatisticsPage website={lookup.website} />
  return (
    <Page title={domain}>
      {'error' in lookup ? <ErrorState error={lookup.error} retry={lookup.retry} /> : <StatisticsSkeleton />}
    </Page>
  )
}
