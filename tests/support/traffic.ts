/** Sends events of simulated visitors, and requests the statistics. */
import { expect } from 'vitest'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const browsers = {
  chrome: {
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    visitor: { browser: 'Chrome', os: 'Windows', device: 'desktop' },
  },
  safari: {
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    visitor: { browser: 'Safari', os: 'iOS', device: 'mobile' },
  },
  firefox: {
    agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    visitor: { browser: 'Firefox', os: 'GNU/Linux', device: 'desktop' },
  },
} as const
export type Browser = keyof typeof browsers

export interface SenderOptions {
  address?: string
  browser?: Browser
  agent?: string
  headers?: Record<string, string>
}

/** Sends an event like the tracker in a visitor's browser. `x-forwarded-for` simulates a proxy that forwards the visitor's address. */
export async function sendEvent(server: TestServer, body: unknown, sender: SenderOptions = {}) {
  const { address = '81.2.69.142', browser = 'chrome', headers = {} } = sender
  return server.anyone.call('POST', '/api/event', {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'text/plain',
      'user-agent': sender.agent ?? browsers[browser].agent,
      'x-forwarded-for': address,
      ...headers,
    },
  })
}

export async function sendView(
  server: TestServer,
  domain: string,
  path: string,
  { fields = {}, ...sender }: SenderOptions & { fields?: object } = {},
) {
  const response = await sendEvent(
    server,
    { n: 'pageview', u: `https://${domain}${path}`, d: domain, r: null, ...fields },
    sender,
  )
  expect(response.status).toBe(202)
  return response
}

export async function createSite(owner: { session: Client }, domain: string, settings: object = {}): Promise<number> {
  const response = await owner.session.post('/api/v1/websites', { domain, ...settings })
  expect(response.status).toBe(201)
  return response.body.data.id
}

export async function fetchStatistics(client: Client, id: number, query: string) {
  const response = await client.get(`/api/v1/stats/${id}?${query}`)
  expect(response.status, response.text).toBe(200)
  return response.body.data as { value: string; count: number }[]
}

export async function fetchOverview(client: Client, id: number, query = '') {
  const response = await client.get(`/api/v1/stats/${id}/overview?${query}`)
  expect(response.status, response.text).toBe(200)
  return response.body.data
}
