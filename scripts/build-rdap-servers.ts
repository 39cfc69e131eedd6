/**
 * npm run build:rdap-servers: writes the RDAP servers of the top-level domains, in a compact form, from IANA's public registry
 * (RFC 9224). `-- <file>` reads a downloaded copy of https://data.iana.org/rdap/dns.json instead of downloading it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { RdapServerList } from '../src/rdap/servers.ts'

const SOURCE_URL = 'https://data.iana.org/rdap/dns.json'

interface IanaBootstrap {
  publication: string
  /** Pairs of top-level domains and URLs. */
  services: [string[], string[]][]
}

const [, , file] = process.argv
const text = file === undefined ? await (await fetch(SOURCE_URL)).text() : readFileSync(file, 'utf8')
const bootstrap: IanaBootstrap = JSON.parse(text)

// Servers without TLS are left out, because anybody on the network path could change the expiry dates that they return.
const entries = bootstrap.services.flatMap(([domains, urls]) => {
  const url = urls.find((serverUrl) => serverUrl.startsWith('https://'))
  return url === undefined ? [] : domains.map((domain) => ({ domain, url, template: toTemplate(url, domain) }))
})
const domainsByTemplate = Map.groupBy(entries, ({ template }) => template)
const domainsByServer = Map.groupBy(entries, ({ template, url }) =>
  (domainsByTemplate.get(template)?.length ?? 0) > 1 ? template : url,
)
const servers = Object.fromEntries(
  [...domainsByServer.keys()].sort().map((url) => {
    const domains = domainsByServer.get(url)?.map(({ domain }) => domain) ?? []
    return [url, domains.sort().join(' ')]
  }),
)
const list: RdapServerList = { source: SOURCE_URL, publication: bootstrap.publication, servers }
writeFileSync(new URL('../lists/rdap-servers.json', import.meta.url), `${JSON.stringify(list, null, 2)}\n`)
console.log(`Wrote ${entries.length} top-level domains to lists/rdap-servers.json.`)

/** The URLs of hundreds of registries differ only in the top-level domain, as in https://rdap.nic.cz/, so they share one entry. */
function toTemplate(url: string, domain: string): string {
  const parts = url.split(new RegExp(`(?<=[./])${domain}(?=[/.])`))
  return parts.length === 2 ? parts.join('{tld}') : url
}
