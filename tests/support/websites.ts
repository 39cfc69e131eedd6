/** A registry to look through, and ways to look. */
import type { Client } from './client.ts'
import { startTestServer, type TestServer } from './server.ts'

export const path = '/api/v1/websites'

export const listed = async (client: Client, query = '') => (await client.get(`${path}${query}`)).body

export const namesOf = (body: { data: { domain: string }[] }) => body.data.map(({ domain }) => domain)

/** In the order of their making; every fourth is a favourite. */
const domains = [
  ...Array.from({ length: 28 }, (_, n) => `shop-${(n * 5) % 28}.example.com`),
  'percent.example.org',
  'zebra.example.net',
  'müller.example.org',
  'ΟΔΟΣ.example.org',
  'muster.example.org',
]

/** As they are kept. */
export const newestFirst = domains.map((domain) => new URL(`http://${domain}`).hostname).toReversed()
export const favourites = newestFirst.filter((_, n) => (domains.length - 1 - n) % 4 === 0)

/** A server, and the key of somebody who has all of these; somebody else has one too. */
export async function startRegistry(): Promise<{ server: TestServer; key: Client }> {
  const server = await startTestServer()
  const key = await (await server.person('owner')).withKey('websites:read', 'websites:write')
  for (const [n, domain] of domains.entries()) await key.post(path, { domain, favorite: n % 4 === 0 })
  const stranger = await server.person('stranger')
  await stranger.session.post(path, { domain: 'shop.example.com', favorite: true })
  return { server, key }
}
