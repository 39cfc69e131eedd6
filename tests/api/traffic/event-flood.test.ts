/** POST /api/event: the rate limit of one IP address. */
import { describe, expect, it } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestServer } from '../../support/server.ts'
import { browsers, createSite, fetchOverview, sendEvent } from '../../support/traffic.ts'

/** Sends equal events on one connection without waiting for responses. Returns the responses. */
async function sendPipelined(address: string, body: object, count: number): Promise<string[]> {
  const json = JSON.stringify(body)
  const formatRequest = (connection: string) =>
    [
      'POST /api/event HTTP/1.1',
      'Host: localhost',
      `Connection: ${connection}`,
      `User-Agent: ${browsers.chrome.agent}`,
      'X-Forwarded-For: 81.2.69.142',
      'Content-Type: text/plain',
      `Content-Length: ${json.length}`,
      '',
      json,
    ].join('\r\n')
  const received = await sendRaw(address, formatRequest('keep-alive').repeat(count - 1) + formatRequest('close'))
  return received.split(/(?=HTTP\/1\.1 \d{3} )/)
}

describe('a flood of events from one IP address', () => {
  it('is rate limited, with a Retry-After header', async () => {
    const limitedServer = await startTestServer({ env: { BELFRY_RATE_LIMIT: '600' } })
    try {
      const owner = await limitedServer.createUser('ada')
      const domain = 'flood.example'
      await createSite(owner, domain)
      const body = { n: 'pageview', u: `https://${domain}/`, d: domain }
      const responses: string[] = []
      for (let n = 0; n < 61; n++) responses.push(...(await sendPipelined(limitedServer.address, body, 100)))
      expect(responses).toHaveLength(6_100)
      const refusedResponses = responses.filter((response) => response.startsWith('HTTP/1.1 429 '))
      expect(refusedResponses).toHaveLength(100)
      expect(refusedResponses[0]).toMatch(/^retry-after: [1-9]\d*\r$/im)
      expect(refusedResponses[0]).toMatch(/^access-control-allow-origin: \*\r$/im)
      const otherResponse = await sendEvent(limitedServer, body, { address: '198.51.100.1' })
      expect([otherResponse.status, otherResponse.headers.get('x-belfry-dropped')]).toEqual([202, null])
      const { totals } = await fetchOverview(owner.session, 1)
      expect(totals.pageviews).toBe(6_001)
    } finally {
      await limitedServer.close()
    }
  })
})
