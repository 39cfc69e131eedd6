/**
 * Finds the RDAP server that knows the registration of a domain (RFC 9224). `lists/rdap-servers.json` comes from IANA's public registry of
 * RDAP servers: `npm run build:rdap-servers` updates it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listHostAndParents } from '../lib/network-address.ts'
import { packageFolder } from '../lib/package-folder.ts'

export interface RdapServerList {
  source: string
  publication: string
  /**
   * Maps the base URL of each server to its domains, separated by spaces. In a base URL, `{tld}` stands for the domain.
   */
  servers: Record<string, string>
}

let serversByDomain: Map<string, string> | undefined

/** Reads the list at the first use, because many Belfry servers check no domain. */
function getServersByDomain(): Map<string, string> {
  if (serversByDomain === undefined) {
    const list: RdapServerList = JSON.parse(readFileSync(join(packageFolder, 'lists', 'rdap-servers.json'), 'utf8'))
    serversByDomain = new Map()
    for (const [url, domains] of Object.entries(list.servers)) {
      for (const domain of domains.split(' ')) serversByDomain.set(domain, url.replace('{tld}', domain))
    }
  }
  return serversByDomain
}

/**
 * Returns the base URL of the RDAP server for the domain, with a slash at the end, or undefined if there is none.
 * `operatorUrl` is the setting `BELFRY_RDAP_URL`. If the operator has set it, that server is asked about every domain.
 */
export function findRdapServer(domain: string, operatorUrl: string | undefined): string | undefined {
  if (operatorUrl !== undefined) return `${operatorUrl}/`
  // IANA lists only top-level domains, but the standard also allows longer entries. If several entries match, the
  // longest one counts.
  const entry = listHostAndParents(domain).find((suffix) => getServersByDomain().has(suffix))
  return entry && getServersByDomain().get(entry)
}
