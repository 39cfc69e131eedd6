/** Uses the parts of Belfry that load code or files on first use, which an incomplete package would lack. */
import { expect } from 'vitest'
import { startHttpReceiver } from '../../support/http-receiver.ts'
import type { SmtpReceiver } from '../../support/smtp-receiver.ts'
import { BROWSER, send, signIn, waitFor, waitUntilReady } from './use-installation.ts'

/** `smtp` receives what the server sends. `url` has no trailing slash. */
export async function useFeatures(url: string, smtp: SmtpReceiver): Promise<void> {
  await waitUntilReady(url)
  const cookie = await signIn(url)
  const post = async (path: string, json: object) => (await send(`${url}${path}`, 'POST', { cookie }, json)).body.data
  const monitorId = await checkJson(url, cookie, post)
  await publishPost(url, post, monitorId)
  await locateVisitor(url, cookie, post)
  await post('/api/providers/test', { provider_type: 'email', recipient_email: 'ada@example.com' })
  await waitFor('the email', async () => smtp.received[0])
  await requestStaticFiles(url)
}

type Post = (path: string, json: object) => Promise<{ id: number }>

/** Checks a response with a JSON path that selects several values, so that a worker thread evaluates the path. */
async function checkJson(url: string, cookie: string, post: Post): Promise<number> {
  const target = await startHttpReceiver()
  target.respondWith(200, { services: [{ ok: true }, { ok: true }] })
  try {
    const json = [{ path: '$.services[?@.ok == true].ok', op: 'equals', value: true }]
    const { id } = await post('/api/monitors', { friendly_name: 'JSON', url: `${target.address}/`, http: { json } })
    await waitFor('the JSON monitor to be up', async () => {
      const { body } = await send(`${url}/api/monitors/${id}`, 'GET', { cookie })
      return body.data.status === 'up' ? true : undefined
    })
    return id
  } finally {
    await target.close()
  }
}

/** Publishes a post, for which the server renders Markdown. */
async function publishPost(url: string, post: Post, monitorId: number): Promise<void> {
  const groups = [{ name: 'Website', monitors: [{ monitor_id: monitorId }] }]
  const page = await post('/api/status-pages', { slug: 'example', title: 'Example status', groups })
  await post(`/api/status-pages/${page.id}/posts`, { title: 'Slow', body: 'We see **slow payments**.' })
  await waitFor('the post on the status page', async () => {
    const { body } = await send(`${url}/status/example`, 'GET', { accept: 'text/html' })
    return body.includes('<strong>slow payments</strong>') ? true : undefined
  })
}

/**
 * Sends a visit whose address belongs to a network in Germany, and waits until the country is known. Nothing connects
 * to the address.
 */
async function locateVisitor(url: string, cookie: string, post: Post): Promise<void> {
  const { id } = await post('/api/v1/websites', { domain: 'example.org' })
  const event = { name: 'pageview', url: 'https://example.org/', domain: 'example.org' }
  await send(`${url}/api/event`, 'POST', { 'user-agent': BROWSER, 'x-forwarded-for': '193.99.144.80' }, event)
  const country = await waitFor('the country of the visitor', async () => {
    const { body } = await send(`${url}/api/v1/stats/${id}?name=country`, 'GET', { cookie })
    return body.data[0]
  })
  expect(country).toMatchObject({ value: 'DE' })
}

async function requestStaticFiles(url: string): Promise<void> {
  const [docs, viewer, tracker] = await Promise.all(
    ['docs', 'docs/viewer.js', 'b.js'].map((path) => send(`${url}/${path}`, 'GET', {})),
  )
  expect(docs?.body).toContain('docs/viewer.js')
  expect(viewer?.body.length).toBeGreaterThan(1_000_000)
  expect(tracker?.body).toContain('pageview')
}
