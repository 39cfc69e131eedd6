/** Where a report leads to. Only BELFRY_URL is good for that: nobody knows what a letter's reader can reach otherwise. */
import { snippetOf } from '../../websites/snippet.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

export interface Links {
  statistics: string
  unsubscribe: string
  /** To be put into the pages of the website. */
  snippet: string
}

export function linksOf(base: string | undefined, domain: string, token: string): Links | undefined {
  if (base === undefined) return undefined
  return {
    statistics: `${base}/${domain}`,
    unsubscribe: unsubscribeUrl(base, token),
    snippet: snippetOf(base, domain),
  }
}

/** RFC 8058: mail programs show a button of their own. */
export function unsubscribeHeaders(links: Links | undefined): Record<string, string> {
  if (links === undefined) return {}
  return { 'List-Unsubscribe': `<${links.unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
