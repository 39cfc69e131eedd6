/** Two servers that share a database, with a status page that has a custom domain. */
import { expect } from 'vitest'
import type { StatusPageRecord } from '../../../src/status-pages/schema.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createMonitor } from '../../support/monitors.ts'
import { type RawResponse, sendRequest } from '../../support/send-request.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'

export const domain = 'status.example.org'
export const TRUSTED_PROXY = '127.0.0.2'
export const UNTRUSTED_PROXY = '127.0.0.3'

interface Visit {
  at?: TestServer
  host?: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface CustomDomainFixture {
  /** The BELFRY_URL of `server` has a path prefix, that of `plainServer` has none. Both use the same database. */
  server: TestServer
  plainServer: TestServer
  owner: TestUser
  monitorId: number
  pageId: number
  /** Creates a page whose domain is verified, and returns its id. */
  createPage(slug: string, customDomain: string | null): Promise<number>
  /** Creates the DNS record that verifies the page's domain, and lets the first server find it. */
  verify(page: StatusPageRecord): Promise<void>
  /** Sends a request to the first server and the custom domain, unless `options` names others. */
  visit(path: string, options?: Visit): Promise<RawResponse>
  close(): Promise<void>
}

export async function startCustomDomainFixture(): Promise<CustomDomainFixture> {
  const database = await createTestDatabase()
  const env = { BELFRY_TRUSTED_PROXIES: `${TRUSTED_PROXY},127.0.0.1` }
  const records = new Map<string, string[]>()
  const resolveTxt = async (name: string) => records.get(name) ?? []
  const serverEnv = { ...env, BELFRY_URL: 'https://stats.example.com/belfry' }
  const server = await startTestServer({ database, resolveTxt, env: serverEnv })
  const plainServer = await startTestServer({ database, env: { ...env, BELFRY_URL: 'http://stats.example.com' } })
  const owner = await server.createUser('owner')
  const monitorId = (await createMonitor(owner.session, { friendly_name: 'Shop' })).id
  const otherUser = await server.createUser('other')
  await otherUser.session.post('/api/status-pages', { slug: 'other-page', title: 'Another page' })

  async function createPage(slug: string, customDomain: string | null): Promise<number> {
    const { body } = await owner.session.post('/api/status-pages', {
      slug,
      title: 'Example status',
      custom_domain: customDomain,
      groups: [{ name: 'Website', monitors: [{ monitor_id: monitorId, label: 'Our shop' }] }],
    })
    await verify(body.data)
    return body.data.id
  }

  async function verify({ id: pageId, custom_domain, custom_domain_record: record }: StatusPageRecord) {
    if (custom_domain === null || record === null) return
    records.set(record.name, [record.value])
    const { customDomains, db, domainVerifier } = server.services
    await domainVerifier.verify({ teamId: owner.id, pageId, domain: custom_domain })
    await customDomains.refresh(db)
  }

  const pageId = await createPage('example', domain)
  await plainServer.services.customDomains.refresh(plainServer.services.db)
  return {
    server,
    plainServer,
    owner,
    monitorId,
    pageId,
    createPage,
    verify,
    visit: (path, { at = server, host = domain, method = 'GET', headers = {}, body } = {}) =>
      sendRequest(at.address + path, { method, headers: { host, accept: 'text/html', ...headers }, body }),
    async close() {
      await server.close()
      await plainServer.close()
      await database.drop()
    },
  }
}

/** Expects the plain 404 page. A page of the application would load scripts from /assets/. */
export function expectNotFoundPage({ status, headers, text }: RawResponse): void {
  expect(status).toBe(404)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain('There is nothing at this address.')
  expect(text).not.toMatch(/assets\/|sign-in|Example status/)
}
