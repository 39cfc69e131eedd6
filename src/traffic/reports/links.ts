/** Where a report leads to. Only BELFRY_URL is good for that: nobody knows what a letter's reader can reach otherwise. */
import { snippetOf } from '../../websites/snippet.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

export interface Links {
  statistics: string
  settings: string
  unsubscribe: string
  /** To be put into the pages of the website. */
  snippet: string
}

export function linksOf(base: string | undefined, domain: string, token: string): Links | undefined {
  if (base === undefined) return undefined
  return {
    statistics: `${base}/${domain}`,
    settings: `${base}/${domain}/settings`,
    unsubscribe: unsubscribeUrl(base, token),
    snippet: snippetOf(base, domain),
  }
}

/** Mail programs show a button of their own; one click is enough only on https (RFC 8058). */
export function unsubscribeHeaders(links: Links | undefined): Record<string, string> {
  if (links === undefined) return {}
  const link = { 'List-Unsubscribe': `<${links.unsubscribe}>` }
  const isSafe = links.unsubscribe.startsWith('https:')
  return isSafe ? { ...link, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : link
}
