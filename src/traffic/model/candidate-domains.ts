/** Finds the website that a domain or a host belongs to. */
import { domainToASCII } from 'node:url'
import { MAX_DOMAIN_LENGTH } from '../../shared/websites.ts'

/** A domain with more labels counts as unregistered, so that no domain causes many lookups. */
const MAX_DOMAIN_LABELS = 10

/** The domain and its parent domains, longest first. Empty if the text cannot be a domain. */
export function listCandidateDomains(domain: string): string[] {
  if (domain.length > MAX_DOMAIN_LENGTH) return []
  const host = (/^[\x21-\x7e]*$/.test(domain) ? domain : domainToASCII(domain)).toLowerCase().replace(/\.$/, '')
  const labels = host.split('.')
  if (host === '' || labels.length > MAX_DOMAIN_LABELS) return []
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Returns the website registered under this domain or, failing that, under the longest of its parent domains. */
export function findByDomain<T>(byDomain: ReadonlyMap<string, T>, domain: string): T | undefined {
  for (const candidate of listCandidateDomains(domain)) {
    const website = byDomain.get(candidate)
    if (website !== undefined) return website
  }
  return undefined
}
