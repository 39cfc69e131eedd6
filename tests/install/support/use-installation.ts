/** Uses a new installation as its first user would: counts one visit and checks one monitor. */
import { setTimeout as delay } from 'node:timers/promises'
import { startCheckTarget } from '../../faults/check-target.ts'

/** Start the server with these settings, so that `useInstallation` can sign in and check a target on this machine. */
export const installationEnv = {
  BELFRY_ADMIN_EMAIL: 'ada@example.com',
  BELFRY_ADMIN_PASSWORD: 'correct horse battery',
  BELFRY_PRIVATE_TARGETS: 'allow',
}

const WAIT_MS = 90_000
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'

/** Waits until `read` returns a value, and throws with `description` if it takes too long. */
export async function waitFor<T>(description: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + WAIT_MS
  let lastError: unknown
  while (Date.now() < deadline) {
    try {
      const value = await read()
      if (value !== undefined) return value
    } catch (error) {
      lastError = error
    }
    await delay(100)
  }
  throw new Error(`Timed out waiting for ${description}.`, { cause: lastError })
}

/** Resolves as soon as the server is ready. */
export async function waitUntilReady(url: string): Promise<void> {
  await waitFor(`${url}/readyz`, async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined))
}

interface Response {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
  body: any
}

export async function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  json?: object,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url} returned ${response.status}: ${text}`)
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

export async function signIn(url: string): Promise<string> {
  const json = { email: installationEnv.BELFRY_ADMIN_EMAIL, password: installationEnv.BELFRY_ADMIN_PASSWORD }
  const { headers } = await send(`${url}/api/session`, 'POST', {}, json)
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** Reads how many visits the server has counted for its only website. */
export async function readVisits(url: string, sessionCookie?: string): Promise<number> {
  const cookie = sessionCookie ?? (await signIn(url))
  const { body: list } = await send(`${url}/api/v1/websites`, 'GET', { cookie })
  const { body } = await send(`${url}/api/v1/stats/${list.data[0].id}/overview`, 'GET', { cookie })
  return body.data.totals.visits
}

/**
 * Signs in, opens the first page, adds a website and a monitor, sends a visit, and waits until the visit is counted and the
 * monitor is up. `url` has no trailing slash.
 */
export async function useInstallation(url: string): Promise<void> {
  await waitUntilReady(url)
  const page = await send(`${url}/`, 'GET', { accept: 'text/html' })
  if (!String(page.body).includes('<script')) throw new Error('The first page has no script: the pages are not built.')
  const cookie = await signIn(url)
  await send(`${url}/api/v1/websites`, 'POST', { cookie }, { domain: 'example.com' })
  const event = { name: 'pageview', url: 'https://example.com/pricing', domain: 'example.com' }
  await send(`${url}/api/event`, 'POST', { 'user-agent': BROWSER }, event)
  await waitFor('the counted visit', async () => ((await readVisits(url, cookie)) === 1 ? true : undefined))
  const target = await startCheckTarget()
  try {
    const fields = { friendly_name: 'Shop', url: target.url('shop') }
    const { body: monitor } = await send(`${url}/api/monitors`, 'POST', { cookie }, fields)
    await waitFor('the monitor to be up', async () => {
      const { body } = await send(`${url}/api/monitors/${monitor.data.id}`, 'GET', { cookie })
      return body.data.status === 'up' ? true : undefined
    })
  } finally {
    await target.close()
  }
}

/** Pings a host once, without saving a monitor. Returns the result of the check. */
export async function checkPing(url: string, host: string): Promise<{ ok: boolean | null; detail: string | null }> {
  const cookie = await signIn(url)
  const { body } = await send(`${url}/api/monitors/try`, 'POST', { cookie }, { type: 'ping', url: host })
  return body.data
}
