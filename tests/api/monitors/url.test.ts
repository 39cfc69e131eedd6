/** What may be checked; `src/monitors/target.test.ts` has the rare spellings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { makeMonitor, path, postMonitor, showMonitor, startMonitoring } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let key: Client

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
})
afterAll(() => server.close())

const accepted = [
  ['http', 'http://example.com', 'http://example.com'],
  ['http', ' HTTPS://Example.com:8443/Path?q=ü#part ', 'HTTPS://Example.com:8443/Path?q=ü#part'],
  ['http', 'http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
  ['ping', 'Example.com', 'example.com'],
  ['ping', '203.0.113.007', '203.0.113.7'],
  ['ping', '2001:DB8:0::1', '2001:db8::1'],
  ['ping', 'https://Example.com:8443/path', 'example.com'],
  ['ping', 'müller.example', 'xn--mller-kva.example'],
]

const refused = [
  ['http', 'example.com', 'must be an http or https address such as https://example.com/ for type http'],
  ['http', 'ftp://example.com/', 'must be an http or https address such as https://example.com/ for type http'],
  ['http', 'https://me:secret@example.com/', 'must not contain a name or password; send them in a header instead'],
  ['http', 'https://example.com/a b', 'must not contain spaces or backslashes'],
  ['http', '   ', 'must be an http or https address such as https://example.com/ for type http'],
  ['ping', 'example.com:80', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
  ['ping', 'example.com/path', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
  ['ping', 'exa mple.com', 'must not contain spaces or backslashes'],
  ['ping', '   ', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
]

describe('the url of a monitor', () => {
  it.each(accepted)('of type %s may be %j, kept as %s', async (type, url, kept) => {
    const made = await postMonitor(key, { type, url })
    expect(made.body.data).toMatchObject({ type, url: kept })
    const other = await makeMonitor(key, { type, url: 'https://other.example.com/' })
    expect((await key.put(`${path}/${other.id}`, { url })).body.data.url).toBe(kept)
    expect((await key.put(`${path}/${other.id}`, { retries: 3 })).body.data.url).toBe(kept)
  })

  it.each(refused)('of type %s may not be %j', async (type, url, fault) => {
    const before = await makeMonitor(key, { type })
    for (const answer of [await postMonitor(key, { type, url }), await key.put(`${path}/${before.id}`, { url })]) {
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ url: [`\`url\` ${fault}.`] })
    }
    expect((await key.get(path)).body.data[0]).toEqual(before)
    expect(await showMonitor(key, before.id)).toEqual(before)
  })
})
