/** The links of a report. Without BELFRY_URL a report has no links, because the server doesn't know its public URL. */
import { formatTrackingSnippet } from '../websites/domain.ts'
import { createUnsubscribeUrl } from './unsubscribe.ts'

export interface ReportLinks {
  statistics: string
  settings: string
  unsubscribe: string
  /** HTML to add to the website's pages. */
  snippet: string
}

export function createReportLinks(baseUrl: string | undefined, domain: string, token: string): ReportLinks | undefined {
  if (baseUrl === undefined) return undefined
  return {
    statistics: `${baseUrl}/${domain}`,
    settings: `${baseUrl}/${domain}/settings`,
    unsubscribe: createUnsubscribeUrl(baseUrl, token),
    snippet: formatTrackingSnippet(baseUrl, domain),
  }
}
