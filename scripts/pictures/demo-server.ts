/** A real server with its own database, filled with sample data. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningServer, startServer } from '../../src/app/server.ts'
import { readConfig } from '../../src/config/config.ts'
import { measureDueIncidents } from '../../src/impact/measure.ts'
import { createLog } from '../../src/lib/log.ts'
import { Api } from './api.ts'
import { createMonitors } from './create-monitors.ts'
import { createStatusPages } from './create-status-pages.ts'
import { createWebsites } from './create-websites.ts'
import { backdateResources } from './history-store.ts'
import { account, daysAgo, now } from './sample-data.ts'

export interface DemoServer {
  /** The URL that the pages show. Open it in a browser that was started with `browserOptions`. */
  baseUrl: string
  browserOptions: { args: string[] }
  /** The session of the account that owns the sample data. */
  cookie: string
  close(): Promise<void>
}

/** The real address has another port each time, and would change the pictures. */
const BASE_URL = 'http://stats.example.com'

const print = (text: string) => console.log(text)
const printDetail = (text: string) => console.log(`  ${text}`)

async function fillWithSampleData({ address, services }: RunningServer): Promise<string> {
  const api = await Api.signIn(address, account)
  print('Generating websites and their visitors.')
  await createWebsites(api, services, printDetail)
  print('Generating monitors and their history.')
  await createMonitors(api, services.db, printDetail)
  await measureDueIncidents(services)
  await createStatusPages(api, services.db)
  await backdateResources(services.db, daysAgo(365))
  return api.cookie
}

export async function startDemoServer(): Promise<DemoServer> {
  print('Starting a server.')
  const folder = await mkdtemp(join(tmpdir(), 'belfry-pictures-'))
  const config = readConfig({
    PORT: '0',
    BELFRY_DATA: join(folder, 'data'),
    BELFRY_URL: BASE_URL,
    // The websites and people are fictional, so the server runs no checks and sends nothing.
    BELFRY_ROLES: 'web',
    BELFRY_SMTP_URL: 'smtp://127.0.0.1',
    BELFRY_MAIL_FROM: 'belfry@example.com',
    // The registry of .example offers no RDAP, so domain monitors need another RDAP server. Belfry never contacts it,
    // because no checks run.
    BELFRY_RDAP_URL: 'https://rdap.example.com/',
    BELFRY_RATE_LIMIT: '0',
    // Nobody owns the domains in the pictures, so there are no icons to fetch.
    BELFRY_FAVICONS: 'off',
    // Here imports run as requests, and each needs more time than the default timeout of a request.
    BELFRY_DATABASE_TIMEOUT: '60',
    BELFRY_ADMIN_EMAIL: account.email,
    BELFRY_ADMIN_PASSWORD: account.password,
  })
  let server: RunningServer | undefined
  const close = async () => {
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    server = await startServer(config, { log: createLog('error', process.stderr), clock: { now: () => new Date(now) } })
    const browserOptions = { args: [`--host-resolver-rules=MAP * ${new URL(server.address).host}`] }
    return { baseUrl: BASE_URL, browserOptions, cookie: await fillWithSampleData(server), close }
  } catch (error) {
    await close()
    throw error
  }
}
