/** Many websites, for tests of lists and searches. */
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const websitesPath = '/api/v1/websites'

export const listWebsites = async (client: Client, query = '') => (await client.get(`${websitesPath}${query}`)).body

export const listDomains = (body: { data: { domain: string }[] }) => body.data.map(({ domain }) => domain)

/** The domains in order of creation. Every fourth website is a favorite. */
const domains = [
  ...Array.from({ length: 28 }, (_, n) => `shop-${(n * 5) % 28}.example.com`),
  'percent.example.org',
  'zebra.example.net',
  'müller.example.org',
  'ΟΔΟΣ.example.org',
  'muster.example.org',
]

/** The domains in ASCII, as the database stores them. */
export const domainsNewestFirst = domains.map((domain) => new URL(`http://${domain}`).hostname).toReversed()
export const favoriteDomains = domainsNewestFirst.filter((_, n) => (domains.length - 1 - n) % 4 === 0)

/** Creates a user with a website for each of `domains`, and a stranger with one more website. Returns a client with an API key of the user. */
export async function createListedWebsites(server: TestServer): Promise<Client> {
  const keyClient = await (await server.createUser('owner')).withKey('websites:read', 'websites:write')
  for (const [n, domain] of domains.entries()) await keyClient.post(websitesPath, { domain, favorite: n % 4 === 0 })
  const stranger = await server.createUser('stranger')
  await stranger.session.post(websitesPath, { domain: 'shop.example.com', favorite: true })
  return keyClient
}
