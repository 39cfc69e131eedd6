/** Runs every curl command of the documentation, from the top of each page to the bottom. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Environment } from '../src/config/config.ts'
import { allowLoopbackOnly, type LoopbackOnly } from './support/loopback-only.ts'
import { startTestServer, type TestServer } from './support/server.ts'
import { type SmtpReceiver, startSmtpReceiver } from './support/smtp-receiver.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
const hasCurl = spawnSync('curl', ['--version']).status === 0

async function readShellBlocks(file: string): Promise<string> {
  const text = await readFile(join(root, file), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('')
}

const pages = [
  'README.md',
  'docs/api.md',
  'docs/websites.md',
  'docs/statistics.md',
  'docs/monitoring.md',
  'docs/monitor-types.md',
  'docs/alerts.md',
  'docs/maintenance.md',
  'docs/audit.md',
  'docs/teams.md',
  'docs/status-pages.md',
]

describe.skipIf(!hasCurl)('the documentation', () => {
  let mail: SmtpReceiver
  let mailEnv: Environment
  /** The server of all pages except the README. Each test creates the account that the commands of a page need. */
  let sharedServer: TestServer
  /** The examples check websites of other people, such as example.com. These checks fail here. */
  let network: LoopbackOnly

  beforeAll(async () => {
    network = allowLoopbackOnly()
    mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    mailEnv = { BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, BELFRY_MAIL_FROM: 'belfry@example.org' }
    sharedServer = await startTestServer({ env: mailEnv })
  })
  afterAll(async () => {
    await sharedServer?.close()
    await mail?.close()
    network?.end()
  })

  /** Starts a server without an account for the README, which shows how to create the admin account. */
  async function provideServer(file: string): Promise<TestServer> {
    if (file === 'README.md') {
      const server = await startTestServer({ env: mailEnv })
      onTestFinished(() => server.close())
      return server
    }
    await sharedServer.createUser('ada', { isAdmin: true })
    // Deletes everything that belongs to the account, too.
    onTestFinished(() => sharedServer.services.db.query('delete from users').then(() => {}))
    return sharedServer
  }

  it.each(pages)('in %s has curl commands that work', async (file) => {
    const server = await provideServer(file)
    const folder = await mkdtemp(join(tmpdir(), 'belfry-docs-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const script = (await readShellBlocks(file)).replaceAll('http://localhost:3000', server.address)
    const curlCommands = script.match(/^(?:KEY=.*|ID=.*)?.*curl /gm) ?? []
    expect(curlCommands.length).toBeGreaterThan(4)
    const token = server.setupPath?.split('=')[1] ?? ''
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, TOKEN: token },
    })
    expect(stdout).toContain('"data"')
  })

  it('has a curl command for every operation of the API', async () => {
    const { body } = await sharedServer.anyone.get('/api/openapi.json')
    const guide = (await Promise.all(pages.map(readShellBlocks))).join('')
    const commands = guide.replaceAll('\\\n', ' ').split('\n')
    for (const [path, methods] of Object.entries(body.paths as Record<string, object>)) {
      const pattern = new RegExp(`http://localhost:3000${path.replace(/\{[^}]+\}/g, '\\$\\w+')}(?=["? ]|$)`)
      for (const method of Object.keys(methods)) {
        const isDocumented = commands.some((line) => pattern.test(line) && getMethod(line) === method)
        expect([`${method} ${path}`, isDocumented]).toEqual([`${method} ${path}`, true])
      }
    }
  })
})

function getMethod(line: string): string {
  const explicitMethod = / -X (\w+)/.exec(line)?.[1]
  return explicitMethod?.toLowerCase() ?? (/ (-d|--data-urlencode) /.test(line) ? 'post' : 'get')
}
