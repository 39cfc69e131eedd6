/** The links of a report. Without BELFRY_URL a report has no links, because the server doesn't know its public URL. */
import { formatTrackingSnippet } from '../../websites/domain.ts'
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

/** These headers make mail programs show an unsubscribe button. One-click unsubscribing requires https (RFC 8058). */
export function createUnsubscribeHeaders(links: ReportLinks | undefined): Record<string, string> {
  if (links === undefined) return {}
  const headers = { 'List-Unsubscribe': `<${links.unsubscribe}>` }
  const isHttps = links.unsubscribe.startsWith('https:')
  return isHttps ? { ...headers, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : headers
}
