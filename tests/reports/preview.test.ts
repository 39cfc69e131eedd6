/** The command that shows somebody their report without sending it. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lastWeek } from '../../src/traffic/reports/week.ts'
import { formatWeek } from '../../src/traffic/reports/words.ts'
import { belfry, type Env, type Folder, makeFolder, serve, urlOf } from '../cli/support.ts'
import { addViews, BASE, type Reporting, startReporting } from '../support/reports.ts'

let reporting: Reporting
let folder: Folder
let env: Env

beforeAll(async () => {
  reporting = await startReporting()
  folder = makeFolder()
  env = {
    DATABASE_URL: urlOf(reporting.server.database.connection),
    BELFRY_DATA: folder.data('none'),
    BELFRY_URL: BASE,
  }
  const id = await reporting.makeWebsite()
  await reporting.makeWebsite({ domain: 'müller.de', email: 0 })
  await addViews(reporting.server, { id }, [
    { at: '2026-01-05T12:00:00Z', page: '/pricing' },
    { at: '2026-01-06T12:00:00Z', visitor: 2 },
  ])
})
afterAll(async () => {
  await reporting.close()
  await folder.remove()
})

const run = (...words: string[]) => belfry(['report', 'preview', ...words], { env, cwd: folder.path })
const read = (name: string) => readFileSync(join(folder.path, name), 'utf8')

describe('report preview', () => {
  it('writes the report of a week as HTML and as text, and sends nothing', async () => {
    const { code, stdout, stderr } = await run('example.com', '--week', '2026-01-05')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('example.com: 2 visitors in the week of 5–11 January 2026')
    expect(read('report-example.com.html')).not.toContain('last week')
    expect(stdout).toContain(join(folder.path, 'report-example.com.html'))
    expect(read('report-example.com.html')).toContain('>/pricing</td>')
    expect(read('report-example.com.txt')).toContain('Visitors: 2 (none the week before)')
    expect(reporting.mail.received).toEqual([])
  })

  it('takes any day of the week, and any spelling of the domain', async () => {
    const { code } = await run('https://www.EXAMPLE.com/', '--week', '2026-01-11', '--out', 'other.html')
    expect(code).toBe(0)
    expect(read('other.html')).toBe(read('report-example.com.html'))
    expect(read('other.txt')).toContain('5–11 January 2026')
  })

  it('takes the latest week that is over where none is named, also without a report', async () => {
    expect((await run('müller.de')).code).toBe(0)
    expect(read('report-xn--mller-kva.de.txt')).toContain(`müller.de\n${formatWeek(lastWeek('UTC', new Date()))}`)
  })

  it('gives nobody a link that switches the report off', async () => {
    expect(read('report-example.com.html')).toContain('/api/unsubscribe?token=preview')
    expect((await reporting.server.anyone.get('/api/unsubscribe?token=preview')).status).toBe(404)
  })

  it.each([
    ['a domain that nobody has', ['none.example.com'], 1, 'There is no website none.example.com.'],
    ['what is no domain', ['!'], 1, 'There is no website !.'],
    ['no domain', [], 2, 'Of which website?'],
    ['a day that there is not', ['example.com', '--week', '2026-02-30'], 2, '--week takes a day such as 2026-01-05'],
    ['a week to come', ['example.com', '--week', '2999-01-01'], 1, 'has not begun yet'],
    [
      'a folder that is not there',
      ['example.com', '--out', 'nowhere/x.html'],
      1,
      'cannot be written: there is no such folder',
    ],
    [
      'a file as a folder',
      ['example.com', '--out', 'other.txt/x.html'],
      1,
      'cannot be written: what should be its folder is a file',
    ],
  ])('refuses %s', async (_what, words, expected, sentence) => {
    const { code, stderr } = await run(...words)
    expect([code, stderr]).toEqual([expected, expect.stringContaining(sentence)])
    expect(stderr).not.toContain('    at ')
  })

  it('refuses a folder as a file', async () => {
    mkdirSync(join(folder.path, 'taken'))
    const { code, stderr } = await run('example.com', '--out', 'taken')
    expect([code, stderr]).toEqual([1, expect.stringContaining('taken cannot be written: it is a folder.')])
  })
})

describe('report preview of an embedded database', () => {
  it('works beside a running server and without one', async () => {
    const alone = {
      BELFRY_DATA: folder.data('data'),
      BELFRY_ADMIN_EMAIL: 'ada@example.com',
      BELFRY_ADMIN_PASSWORD: 'correct horse battery',
    }
    const server = await serve(alone)
    const signedIn = await fetch(`${server.url}/api/session`, {
      method: 'POST',
      body: new URLSearchParams({ email: alone.BELFRY_ADMIN_EMAIL, password: alone.BELFRY_ADMIN_PASSWORD }),
    })
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const body = new URLSearchParams({ domain: 'shop.example.com' })
    await fetch(`${server.url}/api/v1/websites`, { method: 'POST', headers: { cookie }, body })
    const words = ['report', 'preview', 'shop.example.com', '--out', 'shop.html']
    const beside = await belfry(words, { env: alone, cwd: folder.path })
    await server.stop()
    const without = await belfry(words, { env: alone, cwd: folder.path })
    for (const { code, stderr, stdout } of [beside, without]) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('shop.example.com: no visitors last week')
    }
    expect(read('shop.html')).not.toContain('https://')
  })
})
