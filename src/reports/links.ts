/** The links of a report. Without a public URL, the server doesn't know where its pages are, so a report has no links. */
import { formatTrackingSnippet } from '../websites/domain.ts'
import type { Report } from './report.ts'
import { createUnsubscribeUrl } from './unsubscribe.ts'
import { findSunday } from './week.ts'

export interface ReportLinks {
  /** The statistics of the week. */
  statistics: string
  /** The incidents of the week. */
  incidents: string
  /** The pages of monitors begin with this address. */
  monitors: string
  settings: string
  unsubscribe: string
  /** HTML to add to the website's pages. */
  snippet: string
}

export function createReportLinks(
  baseUrl: string | undefined,
  { domain, websiteId, week }: Pick<Report, 'domain' | 'websiteId' | 'week'>,
  token: string,
): ReportLinks | undefined {
  if (baseUrl === undefined) return undefined
  const period = `from=${week}&to=${findSunday(week)}`
  return {
    statistics: `${baseUrl}/${domain}?${period}`,
    incidents: `${baseUrl}/incidents?website=${websiteId}&${period}`,
    monitors: `${baseUrl}/monitors`,
    settings: `${baseUrl}/${domain}/settings`,
    unsubscribe: createUnsubscribeUrl(baseUrl, token),
    snippet: formatTrackingSnippet(baseUrl, domain),
  }
}
