/** Where a report leads to. Only BELFRY_URL is good for that: nobody knows what a letter's reader can reach otherwise. */
import { unsubscribeUrl } from './unsubscribe.ts'

export interface Links {
  statistics: string
  unsubscribe: string
  tracker: string
}

export function linksOf(base: string | undefined, domain: string, token: string): Links | undefined {
  if (base === undefined) return undefined
  return {
    statistics: `${base}/${domain}`,
    unsubscribe: unsubscribeUrl(base, token),
    tracker: `${base}/b.js`,
  }
}

/** What a website has in its pages, so that its visitors are counted. */
export function snippetOf(tracker: string, domain: string): string {
  return `<script defer src="${tracker}" data-domain="${domain}"></script>`
}

/** RFC 8058: mail programs show a button of their own. */
export function unsubscribeHeaders(links: Links | undefined): Record<string, string> {
  if (links === undefined) return {}
  return { 'List-Unsubscribe': `<${links.unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
