/**
 * Upgrades the data folder of the previous release, rolls it back, and starts the previous release again. Only `npm run faults`
 * runs this test, because it needs the history of Git. BELFRY_FAULT_PREVIOUS names another revision.
 */
import { readdirSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { backupFolderOf } from '../../src/upgrade/backup-folder.ts'
import { belfry, call, createTempFolder, startServerProcess } from '../cli/support.ts'
import { parseSessionCookie } from '../support/client.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { checkOutRelease, findPreviousRevision, type PreviousRelease } from '../support/previous-release.ts'
import { browsers } from '../support/traffic.ts'

const previousRevision = isFaultsRun ? findPreviousRevision() : undefined
const admin = { email: 'ada@example.com', password: 'correct horse battery' }

const folder = createTempFolder()
let release: PreviousRelease | undefined
afterAll(async () => {
  await folder.remove()
  release?.remove()
})

it('a rollback restores the data of the previous release, which then works with this data', {
  timeout: 180_000,
}, async ({ skip }) => {
  skip(previousRevision === undefined, isFaultsRun ? 'git has no previous release' : 'only `npm run faults` runs this')
  release = checkOutRelease(previousRevision as string)
  const env = {
    BELFRY_ADMIN_EMAIL: admin.email,
    BELFRY_ADMIN_PASSWORD: admin.password,
    BELFRY_DATA: folder.data('data'),
    BELFRY_ROLES: 'web,worker',
    BELFRY_LOG: 'info',
  }

  /** Starts a server, lists the websites, adds one, and sends a page view to the first. Returns the earlier list and the pages of the first website. */
  async function useServer(domain: string, options: { program?: string } = {}) {
    const server = await startServerProcess(env, options)
    try {
      const cookie = parseSessionCookie(await call(server.url, '/api/session', { json: admin })) ?? ''
      const list = (await call(server.url, '/api/v1/websites', { cookie })).body.data
      const domains = list.map((website: { domain: string }) => website.domain).sort()
      expect((await call(server.url, '/api/v1/websites', { cookie, json: { domain } })).status).toBe(201)
      const event = { n: 'pageview', u: 'https://first.example/', d: 'first.example' }
      const headers = { 'user-agent': browsers.firefox.agent }
      const eventRequest = { method: 'POST', headers, body: JSON.stringify(event) }
      expect((await fetch(`${server.url}/api/event`, eventRequest)).status).toBe(202)
      const pages = (await call(server.url, '/api/v1/stats/1?name=page', { cookie })).body.data
      return { domains, pages, output: server.output() }
    } finally {
      await server.stop()
    }
  }

  const resultBefore = await useServer('first.example', release)
  expect(resultBefore).toMatchObject({ domains: [], pages: [{ value: '/', count: 1 }] })
  const upgradedResult = await useServer('second.example')
  expect(upgradedResult).toMatchObject({ domains: ['first.example'], pages: [{ value: '/', count: 2 }] })
  expect(upgradedResult.output).toContain('backed up the database before migrating it')
  expect(readdirSync(backupFolderOf(env.BELFRY_DATA))).toHaveLength(1)

  expect(await belfry('rollback --yes', { env })).toMatchObject({ code: 0 })
  const resultAfterRollback = await useServer('third.example', release)
  expect(resultAfterRollback).toMatchObject({ domains: ['first.example'], pages: [{ value: '/', count: 2 }] })

  const resultAfterSecondUpgrade = await useServer('fourth.example')
  expect(resultAfterSecondUpgrade).toMatchObject({
    domains: ['first.example', 'third.example'],
    pages: [{ value: '/', count: 3 }],
  })
  expect(readdirSync(backupFolderOf(env.BELFRY_DATA))).toHaveLength(3)
})
