/** The URL of a monitor. `src/monitors/target.test.ts` covers unusual spellings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { createMonitor, getMonitor, monitorsPath, postMonitor, shareMonitorFixture } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

const acceptedUrls = [
  ['http', 'http://example.com', 'http://example.com'],
  ['http', ' HTTPS://Example.com:8443/Path?q=ü#part ', 'HTTPS://Example.com:8443/Path?q=ü#part'],
  ['http', 'http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
  ['ping', 'Example.com', 'example.com'],
  ['ping', '203.0.113.007', '203.0.113.7'],
  ['ping', '2001:DB8:0::1', '2001:db8::1'],
  ['ping', 'https://Example.com:8443/path', 'example.com'],
  ['ping', 'müller.example', 'xn--mller-kva.example'],
]

const rejectedUrls = [
  ['http', 'example.com', 'must be an http or https URL such as https://example.com/ for type http'],
  ['http', 'ftp://example.com/', 'must be an http or https URL such as https://example.com/ for type http'],
  ['http', 'https://me:secret@example.com/', 'must not contain a user name or password: send them in a header instead'],
  ['http', 'https://example.com/a b', 'must not contain spaces or backslashes'],
  ['http', '   ', 'must be an http or https URL such as https://example.com/ for type http'],
  ['ping', 'example.com:80', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
  ['ping', 'example.com/path', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
  ['ping', 'exa mple.com', 'must not contain spaces or backslashes'],
  ['ping', '   ', 'must be a host such as example.com or 203.0.113.7 for type ping, without a port'],
]

describe('the url of a monitor', () => {
  it.each(acceptedUrls)('of type %s can be %j, stored as %s', async (type, url, storedUrl) => {
    const createResponse = await postMonitor(keyClient, { type, url })
    expect(createResponse.body.data).toMatchObject({ type, url: storedUrl })
    const otherMonitor = await createMonitor(keyClient, { type, url: 'https://other.example.com/' })
    expect((await keyClient.put(`${monitorsPath}/${otherMonitor.id}`, { url })).body.data.url).toBe(storedUrl)
    expect((await keyClient.put(`${monitorsPath}/${otherMonitor.id}`, { retries: 3 })).body.data.url).toBe(storedUrl)
  })

  it.each(rejectedUrls)('of type %s cannot be %j', async (type, url, fault) => {
    const monitorBefore = await createMonitor(keyClient, { type })
    for (const response of [
      await postMonitor(keyClient, { type, url }),
      await keyClient.put(`${monitorsPath}/${monitorBefore.id}`, { url }),
    ]) {
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ url: [`\`url\` ${fault}.`] })
    }
    expect((await keyClient.get(monitorsPath)).body.data[0]).toEqual(monitorBefore)
    expect(await getMonitor(keyClient, monitorBefore.id)).toEqual(monitorBefore)
  })
})
