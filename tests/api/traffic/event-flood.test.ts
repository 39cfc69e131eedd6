/** POST /api/event: the rate limit of one IP address. */
import { describe, expect, it } from 'vitest'
import { sendRaw } from '../../support/raw.ts'
import { startTestServer } from '../../support/server.ts'
import { browsers, createSite, fetchOverview, sendEvent } from '../../support/traffic.ts'

/** Sends equal requests on one connection without waiting for responses. Returns the responses. */
async function sendPipelined(address: string, body: string, count: number): Promise<string[]> {
  const formatRequest = (connection: string) =>
    [
      'POST /api/event HTTP/1.1',
      'Host: localhost',
      `Connection: ${connection}`,
      `User-Agent: ${browsers.chrome.agent}`,
      'X-Forwarded-For: 81.2.69.142',
      'Content-Type: text/plain',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
  const receivedText = await sendRaw(address, formatRequest('keep-alive').repeat(count - 1) + formatRequest('close'))
  return receivedText.split(/(?=HTTP\/1\.1 \d{3} )/)
}

describe('a flood of events from one IP address', () => {
  it('is rate limited whether or not the events are valid, with a Retry-After header', async () => {
    const limitedServer = await startTestServer({ env: { BELFRY_RATE_LIMIT: '600' } })
    try {
      const owner = await limitedServer.createUser('ada')
      const domain = 'flood.example'
      await createSite(owner, domain)
      const body = { n: 'pageview', u: `https://${domain}/`, d: domain }
      const responses: string[] = []
      const send = async (text: string) => responses.push(...(await sendPipelined(limitedServer.address, text, 100)))
      for (let n = 0; n < 3; n++) await send(JSON.stringify(body))
      for (let n = 0; n < 58; n++) await send('{"n":')
      const statuses = responses.map((response) => response.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
      expect(Object.groupBy(statuses, (status) => status)).toEqual({
        202: expect.objectContaining({ length: 300 }),
        400: expect.objectContaining({ length: 5_700 }),
        429: expect.objectContaining({ length: 100 }),
      })
      const refusedResponse = responses[statuses.indexOf('429')]
      expect(refusedResponse).toMatch(/^retry-after: [1-9]\d*\r$/im)
      expect(refusedResponse).toMatch(/^access-control-allow-origin: \*\r$/im)
      // Requests with a query go to Fastify's route, which has the same limit.
      const { status } = await fetch(`${limitedServer.address}/api/event?x`, {
        method: 'POST',
        body: '{',
        headers: { 'x-forwarded-for': '81.2.69.142' },
      })
      expect(status).toBe(429)
      const otherResponse = await sendEvent(limitedServer, body, { address: '198.51.100.1' })
      expect([otherResponse.status, otherResponse.headers.get('x-belfry-dropped')]).toEqual([202, null])
      const { totals } = await fetchOverview(owner.session, 1)
      expect(totals.pageviews).toBe(301)
    } finally {
      await limitedServer.close()
    }
  })
})
