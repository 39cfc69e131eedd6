/** Which website an event belongs to: the registered domain, or the longest registered end of it. */
import { domainToASCII } from 'node:url'
import type { TrackedSite } from './site-store.ts'

const DOMAIN_MOST = 253
const LABELS_MOST = 10

/** From the longest to the shortest. None where it cannot be a domain. */
export function candidatesOf(domain: string): string[] {
  if (domain.length > DOMAIN_MOST) return []
  const host = (/^[\x21-\x7e]*$/.test(domain) ? domain : domainToASCII(domain)).toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  if (host === '' || labels.length > LABELS_MOST) return []
  return labels.map((_, index) => labels.slice(index).join('.'))
}

export function findSite(
  candidates: readonly string[],
  sites: ReadonlyMap<string, TrackedSite>,
): TrackedSite | undefined {
  for (const candidate of candidates) {
    const site = sites.get(candidate)
    if (site !== undefined) return site
  }
  return undefined
}
