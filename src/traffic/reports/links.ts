/** The links of a report. They need BELFRY_URL: no other address is known to be reachable for the reader. */
import { trackingSnippet } from '../../websites/domain.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

export interface ReportLinks {
  statistics: string
  settings: string
  unsubscribe: string
  /** HTML for the pages of the website. */
  snippet: string
}

export function createReportLinks(baseUrl: string | undefined, domain: string, token: string): ReportLinks | undefined {
  if (baseUrl === undefined) return undefined
  return {
    statistics: `${baseUrl}/${domain}`,
    settings: `${baseUrl}/${domain}/settings`,
    unsubscribe: unsubscribeUrl(baseUrl, token),
    snippet: trackingSnippet(baseUrl, domain),
  }
}

/** They make mail programs show an unsubscribe button. It works with one click only over https (RFC 8058). */
export function unsubscribeHeaders(links: ReportLinks | undefined): Record<string, string> {
  if (links === undefined) return {}
  const headers = { 'List-Unsubscribe': `<${links.unsubscribe}>` }
  const isHttps = links.unsubscribe.startsWith('https:')
  return isHttps ? { ...headers, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : headers
}
