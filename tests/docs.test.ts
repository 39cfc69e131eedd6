/** Runs every curl command of the documentation, from the top of each page to the bottom. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startTestServer } from './support/server.ts'
import { startSmtpReceiver } from './support/smtp-receiver.ts'

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
  'docs/status-pages.md',
]

const adminEnv = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

describe.skipIf(!hasCurl)('the documentation', () => {
  it.each(pages)('in %s has curl commands that work', async (file) => {
    // The README shows how to create the admin account. The commands of the other pages need an existing account.
    const env = file === 'README.md' ? {} : adminEnv
    const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const mailEnv = { BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, BELFRY_MAIL_FROM: 'belfry@example.org' }
    const server = await startTestServer({ env: { ...env, ...mailEnv } })
    const folder = await mkdtemp(join(tmpdir(), 'belfry-docs-'))
    try {
      const script = (await readShellBlocks(file)).replaceAll('http://localhost:3000', server.address)
      const curlCommands = script.match(/^(?:KEY=.*|ID=.*)?.*curl /gm) ?? []
      expect(curlCommands.length).toBeGreaterThan(4)
      const token = server.setupPath?.split('=')[1] ?? ''
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env: { ...process.env, TOKEN: token },
      })
      expect(stdout).toContain('"data"')
    } finally {
      await server.close()
      await mail.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('has a curl command for every operation of the API', async () => {
    const server = await startTestServer()
    const { body } = await server.anyone.get('/api/openapi.json')
    await server.close()
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
