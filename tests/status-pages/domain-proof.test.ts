/** The TXT record that proves that a custom domain belongs to the owner of a status page, with a real name server. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createJob } from '../../src/app/jobs.ts'
import { openTxtResolver, type ResolveTxt } from '../../src/outgoing/resolver.ts'
import { createProofRecord } from '../../src/status-pages/domains/proof.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { type DnsReply, startNameServer } from '../support/name-server.ts'
import { loadOldSchema } from '../support/old-schema.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'

const domain = 'status.example.org'

let server: TestServer
let ada: TestUser
let bob: TestUser
let resolveTxt: ResolveTxt
/** The records of the name server, by name. `SERVFAIL`: the server fails. */
let records: Map<string, string[] | 'SERVFAIL'>
let lookups: string[]

beforeAll(async () => {
  const env = { BELFRY_URL: 'https://stats.example.com' }
  server = await startTestServer({ env, resolveTxt: (name) => resolveTxt(name) })
  ada = await server.createUser('ada')
  bob = await server.createUser('bob')
})
afterAll(() => server.close())

beforeEach(async () => {
  await server.services.db.query('delete from status_pages')
  await server.services.db.query('delete from websites')
  server.clock.reset()
  records = new Map()
  lookups = []
  resolveTxt = async () => []
})

/** The name server runs until the test ends. */
async function useNameServer(): Promise<void> {
  const { serverAddress } = await startNameServer(({ name, type }): DnsReply => {
    lookups.push(`${type} ${name}`)
    const texts = records.get(name)
    if (texts === undefined) return { code: 'NXDOMAIN' }
    if (texts === 'SERVFAIL') return { code: 'SERVFAIL' }
    return { answers: texts.map((text) => ({ type: 'TXT', name, ttl: 60, data: [text.slice(0, 20), text.slice(20)] })) }
  })
  resolveTxt = openTxtResolver([serverAddress])
}

let pageCount = 0

async function claim(user: TestUser): Promise<number> {
  const page = { slug: `page-${++pageCount}`, title: 'Example', custom_domain: domain }
  const { status, body } = await user.session.post('/api/status-pages', page)
  expect(status).toBe(201)
  expect(body.data.custom_domain_verified_at).toBeNull()
  return body.data.id
}

const recordOf = (user: TestUser) => createProofRecord(server.services.secret, user.id, domain)

function publish(...users: TestUser[]): void {
  records.set(`_belfry.${domain}`, ['v=spf1 -all', ...users.map((user) => recordOf(user).value)])
}

const verify = (user: TestUser, pageId: number) =>
  server.services.domainVerifier.verify({ teamId: user.id, pageId, domain })

async function findSlug(): Promise<string | undefined> {
  const { customDomains, db } = server.services
  await customDomains.refresh(db)
  return customDomains.findSlug(domain)
}

const slugOf = async (user: TestUser, id: number) => (await user.session.get(`/api/status-pages/${id}`)).body.data.slug

describe('a custom domain', () => {
  it('shows the page once the record of its owner exists, and not because of a record of another user', async () => {
    await useNameServer()
    const id = await claim(ada)
    expect([await verify(ada, id), await findSlug()]).toEqual(['missing', undefined])
    publish(bob)
    expect([await verify(ada, id), await findSlug()]).toEqual(['missing', undefined])
    publish(bob, ada)
    expect([await verify(ada, id), await findSlug()]).toEqual(['verified', await slugOf(ada, id)])
    const { body } = await ada.session.get(`/api/status-pages/${id}`)
    expect(body.data.custom_domain_verified_at).toBe('2026-01-05T10:00:00.000Z')
    expect(body.data.custom_domain_record).toEqual(recordOf(ada))
    expect(new Set(lookups)).toEqual(new Set([`TXT _belfry.${domain}`]))
  })

  it('belongs to the user who proves it, not to the user who claimed it first', async () => {
    await useNameServer()
    const adaPage = await claim(ada)
    const bobPage = await claim(bob)
    publish(bob)
    expect([await verify(ada, adaPage), await verify(bob, bobPage)]).toEqual(['missing', 'verified'])
    expect(await findSlug()).toBe(await slugOf(bob, bobPage))
    // If two users have a record, the one who was verified first keeps the domain.
    publish(ada, bob)
    expect(await verify(ada, adaPage)).toBe('taken')
    // If the name server fails, nobody loses the domain.
    resolveTxt = async (name) => {
      if (lookups.push(name) % 2 === 0) throw new Error('SERVFAIL')
      return [recordOf(ada).value]
    }
    lookups = []
    expect([await verify(ada, adaPage), lookups.length]).toEqual(['taken', 2])
    expect(await findSlug()).toBe(await slugOf(bob, bobPage))
    // Now only Ada has a record, so the domain belongs to Ada.
    resolveTxt = async () => [recordOf(ada).value]
    expect([await verify(ada, adaPage), await findSlug()]).toEqual(['verified', await slugOf(ada, adaPage)])
    expect(await verify(bob, bobPage)).toBe('missing')
  })

  it('loses its proof when it is changed, also by a node of the previous version', async () => {
    const id = await claim(ada)
    resolveTxt = async () => [recordOf(ada).value]
    await verify(ada, id)
    const { db } = server.services
    await db.query(`update status_pages set title = 'Another' where id = $1`, [id])
    expect(await findSlug()).toBeDefined()
    await db.query(`update status_pages set custom_domain = 'other.example.org' where id = $1`, [id])
    const { body } = await ada.session.get(`/api/status-pages/${id}`)
    expect([body.data.custom_domain, body.data.custom_domain_verified_at]).toEqual(['other.example.org', null])
  })

  it('is verified by the job, which checks a few domains at a time, and each domain rarely', async () => {
    await useNameServer()
    publish(ada)
    const { db } = server.services
    const id = await claim(ada)
    await db.query(
      `insert into status_pages (user_id, slug, title, privacy, custom_domain, theme, time_zone, show_response_times,
                                 created_at, updated_at, content_changed_at)
       select $1, 'many-' || n, 'Many', 0, n || '.example.net', 'auto', 'UTC', false, $2, $2, $2
         from generate_series(1, 29) n`,
      [bob.id, server.clock.now()],
    )
    const job = createJob('verify custom domains', server.services)
    const counts = []
    for (let run = 0; run < 3; run++) {
      const countBefore = lookups.length
      await job.run()
      counts.push(lookups.length - countBefore)
    }
    expect(counts).toEqual([20, 10, 0])
    expect(await findSlug()).toBe(await slugOf(ada, id))
    server.clock.advance({ minutes: 6 })
    lookups = []
    for (let run = 0; run < 2; run++) await job.run()
    expect(lookups).toHaveLength(29)
    expect(lookups).not.toContain(`TXT _belfry.${domain}`)
  })

  it('is checked in parallel with other domains, and users take turns', async () => {
    const { db } = server.services
    await db.query(
      `insert into status_pages (user_id, slug, title, privacy, custom_domain, theme, time_zone, show_response_times,
                                 created_at, updated_at, content_changed_at)
       select $1, 'slow-' || n, 'Slow', 0, 'slow' || n || '.example.net', 'auto', 'UTC', false, $2, $2, $2
         from generate_series(1, 30) n`,
      [bob.id, server.clock.now()],
    )
    await db.query(
      `insert into status_pages (user_id, slug, title, privacy, custom_domain, theme, time_zone, show_response_times,
                                 created_at, updated_at, content_changed_at)
       values ($1, 'quick', 'Quick', 0, $3, 'auto', 'UTC', false, $2, $2, $2)`,
      [ada.id, server.clock.now(), domain],
    )
    let runningCount = 0
    let maxRunningCount = 0
    resolveTxt = async (name) => {
      lookups.push(name)
      maxRunningCount = Math.max(maxRunningCount, ++runningCount)
      await yieldToEventLoop()
      runningCount--
      return []
    }
    await server.services.domainVerifier.verifyDue(new AbortController().signal)
    expect(maxRunningCount).toBe(5)
    expect(lookups).toHaveLength(20)
    expect(lookups.slice(0, 2)).toContain(`_belfry.${domain}`)
  })

  it('below a website that another user added can be set by the user whose record exists', async () => {
    await bob.session.post('/api/v1/websites', { domain: 'example.org' })
    const page = { slug: 'own-domain', title: 'Example' }
    const { id } = (await ada.session.post('/api/status-pages', page)).body.data
    const setDomain = (custom_domain: string | null) => ada.session.put(`/api/status-pages/${id}`, { custom_domain })
    const { name, value } = recordOf(ada)
    const refusal = `\`custom_domain\` must not be at or below a website of another user. If the domain is yours, create a TXT record with the name ${name} and the value ${value}, and try again.`
    resolveTxt = async () => [recordOf(bob).value]
    const refusedResponse = await setDomain(domain)
    expect([refusedResponse.status, refusedResponse.body.errors]).toEqual([422, { custom_domain: [refusal] }])
    resolveTxt = async () => {
      throw new Error('SERVFAIL')
    }
    expect((await setDomain(domain)).body.errors).toEqual({ custom_domain: [refusal] })
    resolveTxt = async (name) => {
      lookups.push(name)
      return [value]
    }
    lookups = []
    expect((await setDomain(domain)).status).toBe(200)
    expect(lookups).toContain(name)
    expect(await verify(ada, id)).toBe('verified')
    // Without the DNS record, the page can keep its domain. After the domain is removed, it can't be set again.
    resolveTxt = async () => []
    expect((await setDomain(domain)).status).toBe(200)
    expect([(await setDomain(null)).status, (await setDomain(domain)).status]).toEqual([200, 422])
  })

  it('stays verified for a week without its record, and while name servers fail', async () => {
    await useNameServer()
    publish(ada)
    const id = await claim(ada)
    expect(await verify(ada, id)).toBe('verified')
    records.set(`_belfry.${domain}`, 'SERVFAIL')
    server.clock.advance({ days: 8 })
    expect([await verify(ada, id), await findSlug()]).toEqual(['unknown', await slugOf(ada, id)])
    publish(ada)
    expect(await verify(ada, id)).toBe('verified')
    records.clear()
    server.clock.advance({ days: 6 })
    expect([await verify(ada, id), await findSlug()]).toEqual(['missing', await slugOf(ada, id)])
    server.clock.advance({ days: 2 })
    expect([await verify(ada, id), await findSlug()]).toEqual(['missing', undefined])
  })

  it('that was served before proof was required stays verified without a record', async () => {
    const id = await claim(ada)
    await server.services.db.query('update status_pages set custom_domain_verified_at = $2 where id = $1', [
      id,
      server.clock.now(),
    ])
    server.clock.advance({ days: 20 })
    expect([await verify(ada, id), await findSlug()]).toEqual(['missing', await slugOf(ada, id)])
    const bobPage = await claim(bob)
    resolveTxt = async () => [recordOf(bob).value]
    expect([await verify(bob, bobPage), await findSlug()]).toEqual(['verified', await slugOf(bob, bobPage)])
  })
})

it('domains from before the migration stay verified, except domains at or below websites of other users', async () => {
  const database = await createTestDatabase({ empty: true })
  try {
    await loadOldSchema(database.connection, 12)
    await withOwnerConnection(database.connection, async (client) => {
      await client.query(`set belfry.across_users = 'on'`)
      const users = await client.query(
        `insert into users (email, password_hash, created_at) values ('a@example.com', '', now()), ('b@example.com', '', now())
         returning id`,
      )
      const [firstTeamId, secondTeamId] = users.rows.map(({ id }) => id)
      await client.query(
        `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
         values ($1, 'shop.example.net', 0, 0, 0, false, 'UTC', now(), now())`,
        [firstTeamId],
      )
      const insertPages = (domains: string[]) =>
        client.query(
          `insert into status_pages (user_id, slug, title, privacy, custom_domain, theme, time_zone, show_response_times,
                                     created_at, updated_at, content_changed_at)
           select case when domain like 'own%' then $1::bigint else $2::bigint end, 'page-' || md5(domain), 'Example', 0, domain,
                  'auto', 'UTC', false, now(), now(), now()
             from unnest($3::text[]) domain`,
          [firstTeamId, secondTeamId, domains],
        )
      await insertPages([
        'status.example.info',
        'myshop.example.net',
        'shop.example.net',
        'a.shop.example.net',
        'own.shop.example.net',
      ])
      await client.query('reset belfry.across_users')
      await migrateDatabase(client)
      await client.query(`set belfry.across_users = 'on'`)
      // A node of the previous version adds a page.
      await insertPages(['late.example.org'])
      const { rows } = await client.query(
        `select custom_domain, custom_domain_verified_at is not null as "isVerified", feed_id is not null as "hasFeedId"
           from status_pages where title = 'Example' and slug like 'page-%' order by 1`,
      )
      expect(rows.map((row) => Object.values(row))).toEqual([
        ['a.shop.example.net', false, true],
        ['late.example.org', false, true],
        ['myshop.example.net', true, true],
        ['own.shop.example.net', true, true],
        ['shop.example.net', false, true],
        ['status.example.info', true, true],
      ])
    })
  } finally {
    await database.drop()
  }
})
