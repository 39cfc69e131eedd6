/** The command `report preview`, which writes a report to a file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatWeek } from '../../src/reports/format.ts'
import { findLastWeek } from '../../src/reports/week.ts'
import {
  belfry,
  belfryProcess,
  call,
  createTempFolder,
  type Env,
  startServerInProcess,
  type TempFolder,
  toConnectionUrl,
} from '../cli/support.ts'
import { parseSessionCookie } from '../support/client.ts'
import { createMigratedDataFolder } from '../support/data-folder.ts'
import { addViews, BASE_URL, type ReportFixture, startReportFixture } from '../support/reports.ts'

let fixture: ReportFixture
let folder: TempFolder
let env: Env

beforeAll(async () => {
  fixture = await startReportFixture()
  folder = createTempFolder()
  env = {
    DATABASE_URL: toConnectionUrl(fixture.server.database.connection),
    BELFRY_DATA: folder.data('none'),
    BELFRY_URL: BASE_URL,
  }
  const id = await fixture.createWebsite()
  await fixture.createWebsite({ domain: 'müller.de', email: 0 })
  await addViews(fixture.server, { id }, [
    { at: '2026-01-05T12:00:00Z', page: '/pricing' },
    { at: '2026-01-06T12:00:00Z', visitor: 2 },
  ])
})
afterAll(async () => {
  await fixture.close()
  await folder.remove()
})

const runPreview = (...args: string[]) => belfry(['report', 'preview', ...args], { env })
const getPath = (name: string) => join(folder.path, name)
const readOutput = (name: string) => readFileSync(join(folder.path, name), 'utf8')

describe('report preview', () => {
  it('writes the report of a week as HTML and as text, and sends nothing', async () => {
    const { code, stdout, stderr } = await runPreview(
      'example.com',
      '--week',
      '2026-01-05',
      '--out',
      getPath('week.html'),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('example.com: 2 visitors in the week of 5–11 January 2026')
    expect(readOutput('week.html')).not.toContain('last week')
    expect(stdout).toContain(getPath('week.html'))
    expect(readOutput('week.html')).toContain('>/pricing</td>')
    expect(readOutput('week.txt')).toContain('Visitors: 2 (none in the previous week)')
    expect(fixture.mail.received).toEqual([])
  })

  it('accepts any day of the week, and any spelling of the domain', async () => {
    expect((await runPreview('example.com', '--week', '2026-01-05', '--out', getPath('one.html'))).code).toBe(0)
    const { code } = await runPreview(
      'https://www.EXAMPLE.com/',
      '--week',
      '2026-01-11',
      '--out',
      getPath('other.html'),
    )
    expect(code).toBe(0)
    expect(readOutput('other.html')).toBe(readOutput('one.html'))
    expect(readOutput('other.txt')).toContain('5–11 January 2026')
  })

  it('writes the last complete week into the working folder by default, even if reports are turned off', async () => {
    const { code, stdout, stderr } = await belfryProcess('report preview müller.de', { env, cwd: folder.path })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(getPath('report-xn--mller-kva.de.html'))
    expect(readOutput('report-xn--mller-kva.de.html')).toContain('>müller.de</h1>')
    expect(readOutput('report-xn--mller-kva.de.txt')).toContain(
      `müller.de\n${formatWeek(findLastWeek('UTC', new Date()))}`,
    )
  })

  it('has no valid unsubscribe link', async () => {
    expect((await runPreview('example.com', '--out', getPath('links.html'))).code).toBe(0)
    expect(readOutput('links.html')).toContain('/api/unsubscribe?token=preview')
    expect((await fixture.server.anyone.get('/api/unsubscribe?token=preview')).status).toBe(404)
  })

  it.each([
    ['an unknown domain', ['none.example.com'], 1, 'No website with the domain none.example.com.'],
    ['an invalid domain', ['!'], 1, 'No website with the domain !.'],
    ['a missing domain', [], 2, 'Missing argument: <domain>'],
    ['an invalid date', ['example.com', '--week', '2026-02-30'], 2, '--week must be a date such as 2026-01-05'],
    ['a future week', ['example.com', '--week', '2999-01-01'], 1, 'has not started yet'],
    ['a missing folder', ['example.com', '--out', 'nowhere/x.html'], 1, 'nowhere/x.html: there is no such folder.'],
    [
      'a file instead of a folder',
      ['example.com', '--out', 'file.txt/x.html'],
      1,
      'file.txt/x.html: its folder is a file.',
    ],
  ])('rejects %s', async (_case, args, expectedCode, message) => {
    writeFileSync(getPath('file.txt'), '')
    const { code, stderr } = await runPreview(...args.map((word) => (word.includes('/') ? getPath(word) : word)))
    expect([code, stderr]).toEqual([expectedCode, expect.stringContaining(message)])
    expect(stderr).not.toContain('    at ')
  })

  it('rejects a folder instead of a file', async () => {
    mkdirSync(getPath('taken'))
    const { code, stderr } = await runPreview('example.com', '--out', getPath('taken'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('taken: it is a folder.')])
  })
})

describe('report preview with the embedded database', () => {
  it('works with and without a running server', async () => {
    const embeddedEnv = {
      BELFRY_DATA: folder.data('data'),
      BELFRY_ADMIN_EMAIL: 'ada@example.com',
      BELFRY_ADMIN_PASSWORD: 'correct horse battery',
    }
    await createMigratedDataFolder(embeddedEnv.BELFRY_DATA)
    const server = await startServerInProcess(embeddedEnv)
    const [email, password] = [embeddedEnv.BELFRY_ADMIN_EMAIL, embeddedEnv.BELFRY_ADMIN_PASSWORD]
    const signInResponse = await call(server.address, '/api/session', { json: { email, password } })
    const cookie = parseSessionCookie({ ...signInResponse, text: '' }) ?? ''
    await call(server.address, '/api/v1/websites', { cookie, json: { domain: 'shop.example.com' } })
    const args = ['report', 'preview', 'shop.example.com', '--out']
    const resultWithServer = await belfry([...args, getPath('shop.html')], { env: embeddedEnv })
    await server.stop()
    const resultWithoutServer = await belfry([...args, getPath('other-shop.html')], { env: embeddedEnv })
    for (const { code, stderr, stdout } of [resultWithServer, resultWithoutServer]) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('shop.example.com: no visitors last week')
    }
    expect(readOutput('shop.html')).not.toContain('https://')
    expect(readOutput('other-shop.html')).toBe(readOutput('shop.html'))
  })
})
