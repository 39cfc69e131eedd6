/** Status pages while PostgreSQL is stopped, and after a restart without it. */
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { call, type ServerProcess } from '../cli/support.ts'
import { findFreePort } from '../support/free-port.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { type Belfry, createBelfry, waitUntil } from './support.ts'

/** `createBelfry` gives the first node this data folder. */
const FIRST_NODE_FOLDER = 'data'
const SECOND_NODE_FOLDER = 'second'
const VISIT_INTERVAL_MS = 100
/** New connections with this pause notice if the port is closed for a few milliseconds. A connection costs much less than a visit. */
const CONNECTION_INTERVAL_MS = 3

/** Custom domains need BELFRY_URL. */
const toAddress = (port: number) => ({ PORT: String(port), BELFRY_URL: `http://127.0.0.1:${port}` })

/** Returns what the page says about its age, or undefined if the page is up to date. */
const findStaleNotice = (html: string) => /<p class="stale[^>]*>(.*?)<\/p>/.exec(html)?.[1]?.replace(/<[^>]+>/g, '')

let cluster: PostgresCluster
let belfry: Belfry
let firstNode: ServerProcess
let secondNode: ServerProcess
let secondPort: number

async function startSecondNode(): Promise<ServerProcess> {
  return belfry.start({
    ...toAddress(secondPort),
    BELFRY_ROLES: 'web',
    BELFRY_DATA: belfry.folder.data(SECOND_NODE_FOLDER),
  })
}

async function fetchText(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Opens and closes a connection. Rejects if the port refuses it. */
async function openConnection(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

beforeAll(async () => {
  cluster = await startPostgresCluster()
  belfry = createBelfry(cluster.primary.connection)
  secondPort = await findFreePort()
  firstNode = await belfry.start({ ...toAddress(await findFreePort()), BELFRY_ROLES: 'web,worker' })
  const monitor = { friendly_name: 'Secret name', url: 'https://shop.example.com/', type: 'http' }
  const monitorId = await belfry.createResource('/api/monitors', monitor)
  const groups = [{ name: 'Services', monitors: [{ monitor_id: monitorId, label: 'Shop' }] }]
  await belfry.createResource('/api/status-pages', {
    slug: 'open-page',
    title: 'Open page',
    groups,
    custom_domain: 'status.example.com',
  })
  await withOwnerConnection(cluster.primary.connection, async (client) => {
    await client.query(`set belfry.across_users = 'on'`)
    await client.query('update status_pages set custom_domain_verified_at = now()')
  })
  const lockedPage = { slug: 'locked-page', title: 'Locked page', groups, privacy: 2, password: 'open sesame' }
  await belfry.createResource('/api/status-pages', lockedPage)
  await belfry.createResource('/api/status-pages', { slug: 'own-page', title: 'Own page', groups, privacy: 1 })
  secondNode = await startSecondNode()
})
afterAll(async () => {
  await belfry.close()
  await cluster.close()
})

describe('without PostgreSQL', () => {
  it('every node keeps copies, also of pages that nobody has opened there, but none of private pages', async () => {
    for (const dataFolder of [FIRST_NODE_FOLDER, SECOND_NODE_FOLDER]) {
      const folder = join(belfry.folder.data(dataFolder), 'status-pages')
      const fileNames = ['locked-page.page', 'open-page.page']
      await waitUntil('the copies are stored', () => fileNames.every((name) => existsSync(join(folder, name))))
      // The name of a file that is still being written doesn't end in `.page`.
      expect(readdirSync(folder).filter((name) => name.endsWith('.page'))).toHaveLength(fileNames.length)
    }
  })

  it('every node serves the page with the age of its copy', async () => {
    expect(findStaleNotice((await fetchText(`${firstNode.url}/status/open-page`)).text)).toBeUndefined()
    await cluster.primary.stop()
    for (const { url } of [firstNode, secondNode]) {
      await waitUntil('the page shows its age', async () => {
        const { status, text } = await fetchText(`${url}/status/open-page`)
        expect(status).toBe(200)
        return findStaleNotice(text) !== undefined
      })
      const page = await fetchText(`${url}/status/open-page`)
      expect(findStaleNotice(page.text)).toMatch(/^This page is from .* ago\. Monitoring data is unavailable\.$/)
      expect(page.text).toContain('Shop')
      expect((await fetchText(`${url}/status/open-page.json`)).status).toBe(200)
      expect((await fetchText(`${url}/status/open-page/badge.svg`)).status).toBe(200)
      expect((await fetchText(`${url}/status/locked-page`, { accept: 'text/html' })).status).toBe(401)
      const [privatePage, missingPage] = [
        await fetchText(`${url}/status/own-page`),
        await fetchText(`${url}/status/no-such-page`),
      ]
      expect([privatePage.status, missingPage.status]).toEqual([503, 503])
    }
  })

  it('a node that starts listens immediately, serves its copies, and answers everything else with 503', async () => {
    await secondNode.stop()
    const pendingStart = startSecondNode()
    const url = `http://127.0.0.1:${secondPort}`
    await waitUntil('the port is open', () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    expect((await call(url, '/healthz')).body).toEqual({ status: 'ok' })
    for (const path of ['/readyz', '/', '/api/monitors', '/status/own-page', '/status/no-such-page']) {
      const response = await fetch(url + path)
      expect(`${path} ${response.status} ${response.headers.get('retry-after')}`).toBe(`${path} 503 5`)
    }
    const page = await fetchText(`${url}/status/open-page`)
    expect(page.status).toBe(200)
    expect(findStaleNotice(page.text)).toMatch(/ ago\. Monitoring data is unavailable\.$/)
    expect((await fetchText(`${url}/status/open-page.json`)).text).toContain('"label":"Shop"')
    const badge = await fetchText(`${url}/status/open-page/badge.svg?type=uptime&label=Reliability`)
    expect(badge.status).toBe(200)
    expect(badge.text).toContain('Reliability')
    expect((await fetchText(`${url}/status/open-page/badge.svg?type=none`)).status).toBe(422)
    expect((await fetchText(`${url}/status/Open-Page`)).headers.get('location')).toBe('/status/open-page')
    // fetch can't set Host. Proxies on this machine are trusted to name the host.
    const atDomain = { 'x-forwarded-host': 'status.example.com' }
    expect((await fetchText(url, atDomain)).text).toContain('Shop')
    for (const path of ['/healthz', '/readyz', '/api/monitors', '/status/locked-page']) {
      const { status } = await fetchText(url + path, atDomain)
      expect(`${path} ${status}`).toBe(`${path} 404`)
    }

    const lockedResponse = await fetchText(`${url}/status/locked-page.json`)
    expect(lockedResponse.status).toBe(401)
    const unlockResponse = await fetch(`${url}/status/locked-page/unlock`, {
      method: 'POST',
      body: new URLSearchParams({ password: 'open sesame' }),
      redirect: 'manual',
    })
    expect(unlockResponse.status).toBe(303)
    const cookie = unlockResponse.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await fetchText(`${url}/status/locked-page`, { cookie })).text).toContain('Locked page')

    // The port stays open while the full server replaces the standby server.
    const statuses: number[] = []
    let isDone = false
    const visitPage = async () => {
      for (; !isDone; await delay(VISIT_INTERVAL_MS)) statuses.push((await fetchText(`${url}/status/open-page`)).status)
    }
    const refusals: Error[] = []
    const openConnections = async () => {
      for (; !isDone; await delay(CONNECTION_INTERVAL_MS))
        await openConnection(secondPort).catch((error) => refusals.push(error))
    }
    const visits = Promise.all([visitPage(), visitPage(), openConnections()])
    await cluster.primary.start()
    secondNode = await pendingStart
    expect((await call(url, '/readyz')).status).toBe(200)
    await waitUntil('the page is up to date', async () => {
      return findStaleNotice((await fetchText(`${url}/status/open-page`)).text) === undefined
    })
    isDone = true
    await visits
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(refusals).toEqual([])
    expect((await fetchText(`${url}/status/no-such-page`)).status).toBe(404)
    await secondNode.stop()
    expect(await secondNode.ended).toBe(0)
  })
})
