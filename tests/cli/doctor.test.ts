import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { checkBlocks } from '../../src/cli/doctor/traffic.ts'
import { CONFIGURATION_EXIT_CODE } from '../../src/lib/startup-error.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { createTestDatabase } from '../support/database.ts'
import { createEventsOn } from '../support/inbox-events.ts'
import { writeMmdb } from '../support/mmdb.ts'
import { createMonitor } from '../support/monitors.ts'
import { startTestServer, TEST_SECRET, type TestServer, type TestUser } from '../support/server.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'
import { moveDayIntoBlocks } from '../support/stored-blocks.ts'
import { createSite } from '../support/traffic.ts'
import {
  belfry,
  belfryProcess,
  createTempFolder,
  type Env,
  listDiagnoses,
  query,
  startServerProcess,
  type TempFolder,
  toConnectionUrl,
} from './support.ts'

const listProblems = (stdout: string) => listDiagnoses(stdout).filter((line) => !line.startsWith('✓') && line !== '')
const listWarnings = (stdout: string) => listDiagnoses(stdout).filter((line) => line.startsWith('!'))
const listFailures = (stdout: string) => listDiagnoses(stdout).filter((line) => line.startsWith('✗'))

let folder: TempFolder
beforeEach(() => {
  folder = createTempFolder()
})
afterEach(() => folder.remove())

describe('doctor', () => {
  let server: TestServer
  let owner: TestUser

  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.createUser('ada', { isAdmin: true })
  })
  afterAll(() => server.close())

  const createEnv = ({ database }: TestServer): Env => ({
    DATABASE_URL: toConnectionUrl(database.connection),
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_DATA: folder.path,
  })
  const runSql = (sql: string) => query(server.database.connection, sql)

  const deleteWebsites = async () => void (await runSql('delete from websites'))

  async function startOtherServer(): Promise<TestServer> {
    const otherServer = await startTestServer()
    onTestFinished(() => otherServer.close())
    return otherServer
  }

  it('warns when there is no account, and says how to create one', async () => {
    const { code, stdout } = await belfry('doctor', { env: createEnv(await startOtherServer()) })
    expect(code).toBe(0)
    expect(listWarnings(stdout)).toEqual([expect.stringContaining('! Admins: there is no account yet.')])
  })

  it('reports no problem when nothing is wrong', async () => {
    const { code, stdout, stderr } = await belfryProcess('doctor', { env: createEnv(server) })
    expect(stderr).toBe('')
    expect(listProblems(stdout)).toEqual([])
    // Each line begins with what it is about.
    const [diagnoses = ''] = stdout.split('\n\nGo live (', 1)
    for (const line of diagnoses.trim().split('\n')) expect(line).toMatch(/^[✓!✗] [A-Z][\w .-]{1,30}: \S/)
    expect(stdout).toMatch(/^(✓ Ping monitors: use f?ping\.|! Ping monitors: don't work, because .*\.)$/m)
    expect(stdout).toMatch(/^✓ Row level security: on and forced on all \d+ tables with user data\.$/m)
    expect(code).toBe(0)
  })

  it('names alerts that have been due for over a minute, and that no node has begun to send', async () => {
    const { session } = owner
    const { id: monitorId } = await createMonitor(session)
    const { body } = await session.post('/api/providers', {
      provider_type: 'slack',
      webhook_url: 'https://hooks.example.com/hook',
    })
    onTestFinished(async () => void (await runSql('delete from monitors; delete from providers')))
    await runSql(
      `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, title, body, created_at, next_attempt_at)
       select ${owner.id}, ${monitorId}, ${body.data.id}, 'down', 1, 'Shop is down', '', now(), now() - interval '61 seconds'`,
    )
    const { code, stdout } = await belfry('doctor', { env: createEnv(server) })
    expect(listFailures(stdout)).toEqual([
      expect.stringMatching(
        /^✗ Alerts: not sent to 1 notification channel\. One has been due since 20.*Z, and no node/,
      ),
    ])
    expect(code).toBe(1)
  })

  it('warns about checks that are over a minute late, and says what to do', async () => {
    await createMonitor(owner.session)
    await createMonitor(owner.session)
    onTestFinished(async () => void (await runSql('delete from monitors; delete from nodes where id = 1')))
    await runSql(
      `insert into nodes (id, seen_at, process_id, roles, schema_version) values (1, now(), 1, '{checker}', 1);
       update monitor_states
          set due_at = now() - case monitor_id when (select min(id) from monitors) then interval '74 s' else '0 s' end`,
    )
    const { code, stdout } = await belfry('doctor', { env: createEnv(server) })
    expect(listWarnings(stdout)).toEqual([
      expect.stringMatching(
        /^! Checks: 1 of 2 are more than a minute late\. One has been due since 20.*Z\. If .*start another node with the role checker/,
      ),
    ])
    expect(code).toBe(0)
  })

  it('reports several problems together, each with its fix', async () => {
    const damagedServer = await startOtherServer()
    await damagedServer.createUser('ada')
    await query(
      damagedServer.database.connection,
      'alter table sessions no force row level security; update instance set claimed_at = now()',
    )
    const wrongEnv = { ...createEnv(damagedServer), BELFRY_SECRET: 'another secret that is long enough' }
    const { code, stdout, stderr } = await belfry('doctor', { env: wrongEnv })
    expect(stderr).toBe('')
    expect(listFailures(stdout)).toEqual([
      expect.stringMatching(/Row level security: off on sessions.*ALTER TABLE belfry\.sessions/),
      expect.stringMatching(/Secret: the one in BELFRY_SECRET doesn't match this database.*Restore the right one/),
      expect.stringMatching(/Admins: none\. Run .*user create <email> --admin/),
    ])
    expect(code).toBe(1)
  })

  it('warns about settings that could be better', async () => {
    const env = createEnv(server)
    await runSql('delete from migrations where version = 0')
    const { code, stdout } = await belfry('doctor', { env: { ...env, HOST: '0.0.0.0', BELFRY_SECRTE: 'x' } })
    expect(listWarnings(stdout)).toEqual([
      expect.stringContaining('! Configuration: Unknown setting: BELFRY_SECRTE.'),
      expect.stringContaining('Not applied yet: the access rules (migrations/access). Run `npm run belfry -- migrate`'),
      expect.stringContaining('Set BELFRY_URL to the public https address.'),
    ])
    expect(code).toBe(0)
    expect((await belfry('migrate', { env })).stdout).toBe('Updated the access rules (migrations/access).\n')
  })

  it('warns when weekly reports are enabled without a mail server', async () => {
    for (const [n, email] of [0, 1, 1].entries()) {
      await owner.session.post('/api/v1/websites', { domain: `site-${n}.example.com`, email })
    }
    onTestFinished(deleteWebsites)
    const { code, stdout } = await belfry('doctor', { env: createEnv(server) })
    expect(listWarnings(stdout)).toEqual([
      '! Weekly reports: turned on for 2 websites, but no mail server is configured. Set BELFRY_SMTP_URL and BELFRY_MAIL_FROM.',
    ])
    expect(code).toBe(0)
  })

  it('warns when weekly reports have no one-click unsubscribe', async () => {
    await owner.session.post('/api/v1/websites', { domain: 'example.com', email: 1 })
    onTestFinished(deleteWebsites)
    const receiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const mail = { BELFRY_SMTP_URL: `smtp://127.0.0.1:${receiver.port}`, BELFRY_MAIL_FROM: 'belfry@example.org' }
    const listWarningsFor = async (url: string) =>
      listWarnings((await belfry('doctor', { env: { ...createEnv(server), ...mail, BELFRY_URL: url } })).stdout)
    expect(await listWarningsFor('http://stats.example.org')).toEqual([
      "! Weekly reports: no one-click unsubscribe, because the public URL doesn't start with https. Set it to an https address (RFC 8058).",
    ])
    expect(await listWarningsFor('https://stats.example.org')).toEqual([])
    await receiver.close()
  })

  it('lists what is missing before going live, considering what an admin saved, and the last backup', async () => {
    const { address, services } = server
    const saved = await owner.session.put(
      '/api/server/settings/url',
      { url: address },
      { headers: { origin: address } },
    )
    expect(saved.status).toBe(200)
    onTestFinished(async () => void (await owner.session.delete('/api/server/settings/url')))
    const env = createEnv(server)
    const { stdout } = await belfry('doctor', { env })
    expect(stdout).toContain(`○ Public URL: The public URL ${address} only works on this computer. Without it,`)
    expect(stdout).toContain('\n    BELFRY_URL=https://stats.example.com\n')
    expect(stdout).toContain("○ Backups: Belfry can't know whether your PostgreSQL server is backed up.")

    expect((await belfry(`backup ${join(folder.path, 'backup.gz')}`, { env })).code).toBe(0)
    expect((await belfry('doctor', { env })).stdout).not.toContain('○ Backups')

    const config = await belfry('config', { env: { BELFRY_DATA: services.config.dataDir } })
    expect(config.stdout).toMatch(new RegExp(`^BELFRY_URL +${address} +server settings$`, 'm'))
  })

  it('warns about events that could not be rolled up', async () => {
    await runSql(
      `insert into event_inbox (size, websites, events, fault) values (1200, '{1}', '[]', 'no idea'), (300, '{1}', '[]', 'none'), (7, '{1}', '[]', null)`,
    )
    onTestFinished(async () => void (await runSql('delete from event_inbox')))
    const { code, stdout } = await belfry('doctor', { env: createEnv(server) })
    expect(listWarnings(stdout)).toEqual([
      expect.stringMatching(
        /^! Statistics: 1,500 events could not be rolled up and are missing\. Every start retries them/,
      ),
    ])
    expect(code).toBe(0)
  })

  it('reports how many days are packed, and names days whose visits and events are damaged', async () => {
    const { db, rollup } = server.services
    const id = await createSite(owner, 'shop.example.com')
    onTestFinished(
      async () => void (await runSql('delete from websites; delete from traffic_blocks; delete from traffic_days')),
    )
    await insertBatch(db, [...createEventsOn(id, '2026-01-02', 30), ...createEventsOn(id, '2026-01-03', 30)])
    await rollup.rollUpAll()
    await moveDayIntoBlocks(db, id, '2026-01-03', ['2026-01-04', '2026-01-05'])
    const env = createEnv(server)
    const { code, stdout } = await belfry('doctor', { env })
    expect(listFailures(stdout)).toEqual([])
    expect(stdout).toMatch(
      /^✓ Packing: 3 of 4 days of all websites are packed\. The rows of .* take [\d.]+ kB\. The server packs the other days/m,
    )
    expect(stdout).toContain('✓ Packed days: checked all. None is damaged.\n')
    expect(code).toBe(0)

    await runSql(
      `update traffic_blocks set visitor_ids = set_byte(visitor_ids, 9, 255 - get_byte(visitor_ids, 9)) where day = '2026-01-03'`,
    )
    await runSql(`update traffic_blocks set hit_counts = substr(hit_counts, 1, 7), page = '' where day = '2026-01-04'`)
    const damaged = await belfry('doctor', { env })
    expect(listFailures(damaged.stdout)).toEqual([
      expect.stringMatching(
        /^✗ Packed days: the visits and events of shop\.example\.com on 2026-01-04 are damaged \(part 0: .*[^.]\)\. Restore a backup\./,
      ),
      expect.stringMatching(
        / on 2026-01-03 are damaged .* `npm run belfry -- traffic delete-damaged shop\.example\.com 2026-01-03`\.$/,
      ),
    ])
    expect(damaged.stdout).toContain('✓ Packed days: checked all.\n')
    expect(damaged.code).toBe(1)

    const remove = (day: string) => belfry(`traffic delete-damaged shop.example.com ${day} --yes`, { env })
    expect((await remove('2026-01-05')).stdout).toBe('2026-01-05 of shop.example.com is not damaged.\n')
    expect((await remove('2026-01-04')).stdout).toBe(
      'Deleted the packed visits and events of shop.example.com on 2026-01-04.\n',
    )
    expect(await runSql('select day::text from traffic_blocks order by 1')).toEqual([
      { day: '2026-01-03' },
      { day: '2026-01-05' },
    ])
    expect(await runSql('select day::text, views from traffic_days where block_set = 0')).toEqual([
      { day: '2026-01-04', views: 8 },
    ])
    expect((await remove('yesterday')).stderr).toContain('<day> must be a day such as 2026-01-05.')
  })

  describe('with days from long ago', () => {
    let id: number
    beforeEach(async () => {
      id = await createSite(owner, 'shop.example.com')
      const { db, rollup } = server.services
      await insertBatch(db, [...createEventsOn(id, '2026-01-02', 30), ...createEventsOn(id, '2026-01-03', 30)])
      await rollup.rollUpAll()
    })
    afterEach(
      async () => void (await runSql('delete from websites; delete from traffic_blocks; delete from traffic_days')),
    )

    const findPacking = async () => {
      const { stdout, code } = await belfry('doctor', { env: createEnv(server) })
      expect(code).toBe(0)
      return listDiagnoses(stdout).filter((line) => line.includes('Packing: '))
    }

    it('warns if they are still not packed, although the server had a week for it', async () => {
      const setAppliedAt = (time: string) => runSql(`update migrations set applied_at = ${time} where version = 15`)
      onTestFinished(async () => {
        await setAppliedAt('now()')
        await runSql('delete from nodes where id = 1')
      })
      const inBackground = expect.stringMatching(/^✓ Packing: 0 of 2 days .* in the background while it runs\.$/)
      await setAppliedAt(`now() - interval '11 days'`)
      expect(await findPacking()).toEqual([inBackground])
      await runSql(
        `insert into nodes (id, seen_at, process_id, roles, schema_version) values (1, now() + interval '1 hour', 1, '{worker}', 15)`,
      )
      await setAppliedAt(`now() - interval '7 days'`)
      expect(await findPacking()).toEqual([inBackground])
      await setAppliedAt(`now() - interval '11 days'`)
      expect(await findPacking()).toEqual([
        expect.stringMatching(
          /^! Packing: 0 of 2 days .* 2 unpacked days ended more than a week ago\. The oldest is 2026-01-02 of shop\.example\.com\. .* look for "Days that could not be packed" in the log/,
        ),
      ])
      await moveDayIntoBlocks(server.services.db, id, '2026-01-02')
      expect(await findPacking()).toEqual([expect.stringMatching(/ 1 unpacked day ended .* 2026-01-03 of shop/)])
      // The late events of this day are still rows.
      await runSql(`update traffic_days set is_packed = false where day = '2026-01-02'`)
      expect(await findPacking()).toEqual([expect.stringMatching(/^! Packing: 0 of 2 days .* 2 unpacked days ended/)])
      await moveDayIntoBlocks(server.services.db, id, '2026-01-03')
      await runSql('update traffic_days set is_packed = true')
      expect(await findPacking()).toEqual([])
    })

    it('says since which day it has checked packed days, if the time is not enough for all', async () => {
      await moveDayIntoBlocks(server.services.db, id, '2026-01-03', ['2026-01-04', '2026-01-05'])
      const client = new pg.Client(server.database.connection)
      await client.connect()
      onTestFinished(() => client.end())
      const checkWithin = async (stepMs: number) => {
        let time = 0
        const now = () => {
          time += stepMs
          return new Date(time)
        }
        return (await checkBlocks(client, { now })).map(({ text }) => text)
      }
      expect(await checkWithin(1_500)).toEqual(['Packed days: checked the newest, since 2026-01-04. None is damaged.'])
      expect(await checkWithin(3_000)).toEqual(['Packed days: checked the newest, since 2026-01-05. None is damaged.'])
      await runSql(`update traffic_blocks set day = '2026-01-05', part = 1 where day = '2026-01-04'`)
      expect(await checkWithin(3_000)).toEqual([
        'Packed days: checked the newest, a part of 2026-01-05. None is damaged.',
      ])
      expect(await checkWithin(1)).toEqual(['Packed days: checked all. None is damaged.'])
    })
  })

  it('runs the other checks when the database is unavailable', async () => {
    const unreachableUrl = toConnectionUrl({ ...server.database.connection, host: join(folder.path, 'nowhere') })
    const { code, stdout, stderr } = await belfry('doctor', {
      env: { ...createEnv(server), DATABASE_URL: unreachableUrl },
    })
    expect(stderr).toBe('')
    expect(listFailures(stdout)).toEqual([
      expect.stringMatching(/^✗ Database: Cannot connect to the database: .*Check DATABASE_URL/),
    ])
    expect(stdout.match(/^✓/gm)?.length).toBeGreaterThan(2)
    expect(code).toBe(1)
  })
})

describe('doctor without a database', () => {
  it('checks a data folder without creating a database in it', async () => {
    const { code, stdout } = await belfry('doctor', { env: { BELFRY_DATA: folder.data('none') } })
    expect(code).toBe(0)
    expect(listWarnings(stdout)).toEqual([
      expect.stringContaining("doesn't exist yet. The first start creates it."),
      expect.stringContaining('! Database: there is none yet.'),
    ])
    writeFileSync(join(folder.path, 'file'), '')
    const result = await belfry('doctor', { env: { BELFRY_DATA: join(folder.path, 'file') } })
    expect(result.code).toBe(1)
    expect(listFailures(result.stdout)[0]).toContain('is a file. Move it')
  })

  it('lists every invalid setting', async () => {
    const { code, stderr } = await belfry('doctor', {
      env: { PORT: 'x', BELFRY_SECRET: 'short', BELFRY_ROLES: 'cook' },
    })
    expect(code).toBe(CONFIGURATION_EXIT_CODE)
    expect(stderr).toContain('The configuration has 3 errors:')
  })
})

describe.skipIf(process.platform !== 'linux')('doctor beside a running server', () => {
  it("checks the server's settings instead of those of its own shell", async () => {
    const database = await createTestDatabase()
    const env = { BELFRY_DATA: folder.data('data') }
    const server = await startServerProcess({
      ...env,
      DATABASE_URL: toConnectionUrl(database.connection),
      BELFRY_URL: 'https://stats.example.org',
      BELFRY_PRIVATE_TARGETS: '10.0.0.0/8',
      BELFRY_METRICS_TOKEN: 'a token that nobody may see',
    })
    const { stdout } = await belfry('doctor', { env: { ...env, BELFRY_URL: 'http://other.example.org' } })
    expect(stdout).toMatch(/^✓ Settings: from the running server \(process \d+\)\.$/m)
    expect(stdout).toContain('✓ Public URL: https://stats.example.org.')
    expect(stdout).toContain(
      '✓ Private addresses: monitors and webhooks can connect to 10.0.0.0/8 (BELFRY_PRIVATE_TARGETS).',
    )
    expect(stdout).toContain('✓ Server: connected to the database.')
    expect(stdout).not.toContain('nobody may see')
    await server.stop()
    const resultWithoutServer = await belfry('doctor', { env })
    expect(resultWithoutServer.stdout).toContain(
      '✓ Settings: from this shell, because no server is running with this data folder.',
    )
    expect(resultWithoutServer.stdout).toContain("Private addresses: monitors and webhooks can't connect to them.")
    await database.drop()
  })
})

describe('doctor with a mail server', () => {
  it('connects to it, and lists the allowed private addresses', async () => {
    const receiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
    const env = {
      BELFRY_DATA: folder.data('data'),
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${receiver.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
      BELFRY_PRIVATE_TARGETS: '10.0.0.0/8',
    }
    const resultWithMailServer = await belfry('doctor', { env })
    expect(resultWithMailServer.stdout).toContain(
      `✓ Email: sent through 127.0.0.1:${receiver.port}, from belfry@example.org.`,
    )
    expect(resultWithMailServer.stdout).toContain('✓ SMS: not configured')
    expect(resultWithMailServer.stdout).toContain(
      '✓ Private addresses: monitors and webhooks can connect to 10.0.0.0/8 (BELFRY_PRIVATE_TARGETS).',
    )
    await receiver.close()
    const resultWithoutMailServer = await belfry('doctor', { env })
    expect(resultWithoutMailServer.stdout).toMatch(
      /✗ Email: can't be sent through .*: connection refused\. Check BELFRY_SMTP_URL, or the mail server under Account → Server settings\./i,
    )
    expect(resultWithoutMailServer.code).toBe(1)
  })
})

describe('doctor with a geolocation database', () => {
  it("reads it, or reports why it can't", async () => {
    const path = join(folder.path, 'city.mmdb')
    const runDoctor = (geoDb: string) =>
      belfry('doctor', { env: { BELFRY_DATA: folder.data('data'), BELFRY_GEO_DB: geoDb } })
    expect((await runDoctor('')).stdout).toContain('✓ Geolocation: by country.')
    writeFileSync(path, writeMmdb({ '203.0.113.0/24': { country_code: 'CH' } }, { type: 'Our-City' }))
    expect((await runDoctor(path)).stdout).toContain(`from ${path} (Our-City of 2026-01-01).`)
    writeFileSync(path, 'something else')
    const result = await runDoctor(path)
    expect(result.stdout).toMatch(
      /✗ Geolocation: can't read BELFRY_GEO_DB\. .*city\.mmdb is not an MMDB database\. Set/,
    )
    expect(result.code).toBe(1)
  })
})
