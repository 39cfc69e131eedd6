/** A server whose people sign in through an identity provider. Its clock runs, because the provider uses the time of the machine. */
import type { Environment } from '../../src/config/config.ts'
import { TestClock } from './clock.ts'
import { findFreePort } from './free-port.ts'
import { CLIENT_ID, CLIENT_SECRET, RedirectBrowser } from './oidc-provider.ts'
import { startTestServer, type TestServer } from './server.ts'

/** The time of the machine, with an offset. */
export class RunningClock extends TestClock {
  offsetSeconds = 0

  override now(): Date {
    return new Date(Date.now() + 1000 * this.offsetSeconds)
  }
}

export interface SingleSignOnServer extends TestServer {
  url: string
  runningClock: RunningClock
}

/** The provider needs the address of the server, and the server that of the provider. */
export async function reserveServerUrl(): Promise<{ port: number; url: string }> {
  const port = await findFreePort()
  return { port, url: `http://127.0.0.1:${port}` }
}

export const oidcEnv = (issuer: string): Environment => ({
  BELFRY_OIDC_ISSUER: issuer,
  BELFRY_OIDC_CLIENT_ID: CLIENT_ID,
  BELFRY_OIDC_CLIENT_SECRET: CLIENT_SECRET,
})

export async function startSingleSignOnServer(
  { port, url }: { port: number; url: string },
  env: Environment,
): Promise<SingleSignOnServer> {
  const runningClock = new RunningClock()
  const server = await startTestServer({ env: { PORT: String(port), BELFRY_URL: url, ...env }, clock: runningClock })
  return { ...server, url, runningClock }
}

/** Opens the page as somebody whose browser has nothing stored, and returns the browser. */
export async function signInThroughProvider(
  { url }: { url: string },
  { returnTo = '/', browser = new RedirectBrowser() }: { returnTo?: string; browser?: RedirectBrowser } = {},
) {
  const response = await browser.open(`${url}/sign-in/single-sign-on?return_to=${encodeURIComponent(returnTo)}`)
  return { browser, response, token: browser.cookie(url, 'belfry_session') }
}

/** Returns who the session belongs to, or undefined if it has ended. */
export async function findSessionUser({ anyone }: TestServer, token: string | undefined) {
  const { status, body } = await anyone.as({ cookie: token ?? '' }).get('/api/session')
  return status === 200 ? (body.data.user as { id: number; email: string; is_admin: boolean }) : undefined
}
