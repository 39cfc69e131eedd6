import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeMmdb } from '../support/mmdb.ts'
import { startTestServer, TEST_SECRET, type TestServer } from '../support/server.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'
import { belfry, type Env, type Folder, makeFolder, query, urlOf } from './support.ts'

describe('doctor', () => {
  let server: TestServer
  let folder: Folder
  let env: Env

  beforeAll(async () => {
    server = await startTestServer()
    folder = makeFolder()
    env = {
      DATABASE_URL: urlOf(server.database.connection),
      BELFRY_SECRET: TEST_SECRET,
      BELFRY_DATA: folder.path,
    }
  })
  afterAll(async () => {
    await server.close()
    await folder.remove()
  })

  /** Whether hosts can be pinged is up to the machine that the tests run on. */
  const linesOf = (stdout: string) => stdout.split('\n').filter((line) => !line.includes('be pinged'))
  const marked = (mark: string, stdout: string) => linesOf(stdout).filter((line) => line.startsWith(mark))
  const change = (sql: string) => query(server.database.connection, sql)

  it('finds a server without accounts, and says how to make one', async () => {
    const { code, stdout } = await belfry('doctor', { env })
    expect(code).toBe(0)
    expect(marked('!', stdout)).toEqual([expect.stringContaining('There is no account yet.')])
  })

  it('finds nothing wrong where nothing is', async () => {
    await server.person('ada', { isAdmin: true })
    const { code, stdout, stderr } = await belfry('doctor', { env })
    expect(stderr).toBe('')
    expect(linesOf(stdout).filter((line) => !line.startsWith('✓'))).toEqual([''])
    expect(stdout).toMatch(/^(✓ Hosts can be pinged, with f?ping\.|! Hosts cannot be pinged: .*\.)$/m)
    expect(stdout).toMatch(/Row level security is on and forced on all \d+ tables of users\./)
    expect(code).toBe(0)
  })

  it('finds several faults at once, each with its remedy', async () => {
    await change('alter table sessions no force row level security; update users set is_admin = false')
    await change('update instance set claimed_at = now()')
    const wrong = { ...env, BELFRY_SECRET: 'another secret that is long enough' }
    const { code, stdout, stderr } = await belfry('doctor', { env: wrong })
    await change('alter table sessions force row level security; update users set is_admin = true')
    expect(stderr).toBe('')
    expect(marked('✗', stdout)).toEqual([
      expect.stringMatching(/Row level security is off on sessions.*ALTER TABLE belfry\.sessions/),
      expect.stringMatching(/The secret in BELFRY_SECRET is not the one.*Put the right one back/),
      expect.stringMatching(/There is no administrator\. Run .*user create <email> --admin/),
    ])
    expect(code).toBe(1)
  })

  it('advises on what works and could be better', async () => {
    await change('delete from migrations where version = 0')
    const { code, stdout } = await belfry('doctor', { env: { ...env, HOST: '0.0.0.0', BELFRY_SECRTE: 'x' } })
    expect(marked('!', stdout)).toEqual([
      expect.stringContaining('The setting BELFRY_SECRTE is not known.'),
      expect.stringContaining('BELFRY_URL is not set'),
      expect.stringContaining('access.sql is not applied. Run `npm run belfry -- migrate`'),
    ])
    expect(code).toBe(0)
    expect((await belfry('migrate', { env })).stdout).toBe('Renewed who may see what (access.sql).\n')
  })

  it('says whose weekly reports wait for a mail server', async () => {
    const owner = await server.person('owner')
    for (const [n, email] of [0, 1, 1].entries()) {
      await owner.session.post('/api/v1/websites', { domain: `site-${n}.example.com`, email })
    }
    const { code, stdout } = await belfry('doctor', { env })
    expect(marked('!', stdout)).toEqual([
      '! 2 websites want a weekly report, and there is no mail server. Set BELFRY_SMTP_URL and BELFRY_MAIL_FROM.',
    ])
    expect(code).toBe(0)
  })

  it('says where weekly reports cannot be switched off with one click', async () => {
    const receiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const mail = { BELFRY_SMTP_URL: `smtp://127.0.0.1:${receiver.port}`, BELFRY_MAIL_FROM: 'belfry@example.org' }
    const examine = async (url: string) =>
      marked('!', (await belfry('doctor', { env: { ...env, ...mail, BELFRY_URL: url } })).stdout)
    expect(await examine('http://stats.example.org')).toEqual([
      '! Weekly reports cannot be switched off with one click: BELFRY_URL does not begin with https. Set it to an https address (RFC 8058).',
    ])
    expect(await examine('https://stats.example.org')).toEqual([])
    await receiver.close()
  })

  it('says what of the traffic was put aside', async () => {
    await change(
      `insert into event_inbox (size, websites, events, fault) values (1200, '{1}', '[]', 'no idea'), (300, '{1}', '[]', 'none'), (7, '{1}', '[]', null)`,
    )
    const { code, stdout } = await belfry('doctor', { env })
    await change('delete from event_inbox')
    expect(marked('!', stdout).at(-1)).toMatch(
      /^! 1,500 events were put aside: adding up failed.* tried again at every start/,
    )
    expect(code).toBe(0)
  })

  it('goes on when the database is away', async () => {
    const away = urlOf({ ...server.database.connection, host: join(folder.path, 'nowhere') })
    const { code, stdout, stderr } = await belfry('doctor', { env: { ...env, DATABASE_URL: away } })
    expect(stderr).toBe('')
    expect(marked('✗', stdout)).toEqual([expect.stringMatching(/The database cannot be reached: .*Check DATABASE_URL/)])
    expect(marked('✓', stdout).length).toBeGreaterThan(2)
    expect(code).toBe(1)
  })

  it('looks at a data folder without making a database in it', async () => {
    const { code, stdout } = await belfry('doctor', { env: { BELFRY_DATA: folder.data('none') } })
    expect(code).toBe(0)
    expect(marked('!', stdout)).toEqual([
      expect.stringContaining('does not exist yet. The first start makes it.'),
      expect.stringContaining('There is no database yet.'),
    ])
    writeFileSync(join(folder.path, 'file'), '')
    const file = await belfry('doctor', { env: { BELFRY_DATA: join(folder.path, 'file') } })
    expect(file.code).toBe(1)
    expect(marked('✗', file.stdout)[0]).toContain('is a file. Move it away')
  })

  it('lists every mistake of the configuration', async () => {
    const { code, stderr } = await belfry('doctor', {
      env: { PORT: 'x', BELFRY_SECRET: 'short', BELFRY_ROLES: 'cook' },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('The configuration has 3 mistakes:')
  })
})

describe('doctor on messages', () => {
  it('greets the mail server, and names the private addresses that are open', async () => {
    const receiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const folder = makeFolder()
    const env = {
      BELFRY_DATA: folder.data('data'),
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${receiver.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
      BELFRY_PRIVATE_TARGETS: '10.0.0.0/8',
    }
    const fine = await belfry('doctor', { env })
    expect(fine.stdout).toContain(`✓ E-mail goes through 127.0.0.1:${receiver.port}, as belfry@example.org.`)
    expect(fine.stdout).toContain('✓ SMS is not set up')
    expect(fine.stdout).toContain('private addresses: 10.0.0.0/8 (BELFRY_PRIVATE_TARGETS)')
    await receiver.close()
    const wrong = await belfry('doctor', { env })
    expect(wrong.stdout).toMatch(/✗ E-mail cannot be sent through .*: connection refused\. Mend BELFRY_SMTP_URL\./)
    expect(wrong.code).toBe(1)
    await folder.remove()
  })
})

describe('doctor on places', () => {
  it('reads the geo database, or says why it cannot', async () => {
    const folder = makeFolder()
    const path = join(folder.path, 'city.mmdb')
    const examine = (geoDb: string) =>
      belfry('doctor', { env: { BELFRY_DATA: folder.data('data'), BELFRY_GEO_DB: geoDb } })
    expect((await examine('')).stdout).toContain('✓ Visitors are known by their country.')
    writeFileSync(path, writeMmdb({ '203.0.113.0/24': { country_code: 'CH' } }, { type: 'Our-City' }))
    expect((await examine(path)).stdout).toContain(`from ${path} (Our-City of 2026-01-01).`)
    writeFileSync(path, 'something else')
    const wrong = await examine(path)
    expect(wrong.stdout).toMatch(
      /✗ BELFRY_GEO_DB cannot be read: .*city\.mmdb is not a database in the format MMDB\. Set/,
    )
    expect(wrong.code).toBe(1)
    await folder.remove()
  })
})
