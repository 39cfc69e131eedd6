import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFaultsRun } from '../../tests/support/faults-run.ts'
import type { TestServer, TestUser } from '../../tests/support/server.ts'
import { shareTestServer } from '../../tests/support/shared-server.ts'
import type { TenantId } from './tenant.ts'

let server: TestServer
const people: { person: TestUser; tenantId: TenantId }[] = []

beforeAll(async () => {
  server = await shareTestServer()
  for (let n = 0; n < 8; n++) {
    const person = await server.createUser(`person${n}`)
    const { keyId } = await person.withKey('monitors:read')
    people.push({ person, tenantId: { teamId: person.id, userId: person.id, keyId, sessionId: null } })
  }
})
afterAll(() => server.close())

const db = () => server.services.db
const queryWithoutUserCondition = 'select id, user_id from api_keys'

/** Two statements that fail and one that succeeds. */
const statements = ['select 1 / 0', 'select * from no_such_table', 'select 1']

const ROUNDS_PER_WORKER = isFaultsRun ? 50 : 20

describe('a tenant', () => {
  it('sees only its own rows in a query without a user condition', async () => {
    for (const { tenantId } of people) {
      expect(await db().as(tenantId).query(queryWithoutUserCondition)).toEqual([
        { id: tenantId.keyId, user_id: tenantId.teamId },
      ])
    }
  })

  it('never leaks to the next user of a connection, under concurrency and failures', async () => {
    // 40 concurrent tenants on 10 connections: each connection changes tenants many times.
    const work = Array.from({ length: 40 }, async (_, worker) => {
      for (let n = 0; n < ROUNDS_PER_WORKER; n++) {
        const { tenantId } = people[(worker * 7 + n) % people.length] as (typeof people)[number]
        const tenant = db().as(tenantId)
        const statement = statements[n % statements.length] as string
        if (n % 3 === 0) await tenant.query(statement).catch(() => {})
        if (n % 5 === 0) await tenant.transaction((q) => q.query(statement)).catch(() => {})
        const rows =
          n % 2 === 0
            ? await tenant.query(queryWithoutUserCondition)
            : await tenant.transaction((q) => q.query(queryWithoutUserCondition))
        expect(rows).toEqual([{ id: tenantId.keyId, user_id: tenantId.teamId }])
      }
    })
    await Promise.all(work)
  })

  it("does not pass an administrator's rights on to the next caller", async () => {
    const admin = await server.createUser('admin', { isAdmin: true })
    const [session] = await db().query('select id from sessions where user_id = $1', [admin.id])
    const adminTenant = db().as({ teamId: admin.id, userId: admin.id, keyId: null, sessionId: session?.['id'] })
    const mixedQueries = Array.from({ length: 40 }, (_, n) => {
      const { tenantId } = people[n % people.length] as (typeof people)[number]
      return (n % 2 === 0 ? adminTenant : db().as(tenantId)).query('select id from users')
    })
    const rowCounts = (await Promise.all(mixedQueries)).map((rows) => rows.length)
    expect(rowCounts).toEqual(mixedQueries.map((_, n) => (n % 2 === 0 ? people.length + 1 : 1)))
  })

  it('leaves no settings on its connection', async () => {
    const { tenantId } = people[0] as (typeof people)[number]
    await Promise.all(people.map(({ tenantId }) => db().as(tenantId).query('select 1')))
    const settings = await Promise.all(
      Array.from({ length: 30 }, () =>
        db()
          .as({ ...tenantId, keyId: -1 })
          .query(`select current_setting('belfry.user_id', true) as user`)
          .catch((error) => error.code),
      ),
    )
    expect(new Set(settings)).toEqual(new Set(['unauthenticated']))
  })

  it.each([
    ['a key that does not exist', { keyId: 999_999 }],
    ["another user's key", { teamId: 1, userId: 1 }],
    ['no key and no session', { keyId: null }],
  ])('with %s is rejected, and neither reads nor writes', async (_case, idChanges) => {
    const lastPerson = people.at(-1) as (typeof people)[number]
    const tenant = db().as({ ...lastPerson.tenantId, ...idChanges })
    await expect(tenant.query(queryWithoutUserCondition)).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(tenant.query(`update api_keys set name = 'stolen'`)).rejects.toMatchObject({ code: 'unauthenticated' })
    let isWorkCalled = false
    const transaction = tenant.transaction(async () => {
      isWorkCalled = true
    })
    await expect(transaction).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(isWorkCalled).toBe(false)
    // The work of a snapshot begins before the caller is known, but sees nothing, and its error is dropped.
    let rowsInSnapshot: unknown[] | undefined
    const snapshot = tenant.snapshot(async (q) => {
      rowsInSnapshot = await q.query(queryWithoutUserCondition)
      throw new Error('The work failed.')
    })
    await expect(snapshot).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(rowsInSnapshot).toEqual([])
    expect(await db().query(`select id from api_keys where name = 'stolen'`)).toEqual([])
  })

  it('runs no statement of a transaction that has failed, although another part of its work goes on', async () => {
    const { tenantId } = people[0] as (typeof people)[number]
    const { promise: snapshotRejected, resolve: markSnapshotRejected } = Promise.withResolvers<void>()
    let laterQuery: Promise<unknown> | undefined
    const snapshot = db()
      .as(tenantId)
      .snapshot((q) =>
        Promise.all([
          q.query('select 1').then(async () => {
            await snapshotRejected
            laterQuery = q.query(queryWithoutUserCondition)
          }),
          Promise.resolve()
            .then(() => q.query('select 1'))
            .then(() => q.query('select 1 / 0')),
        ]),
      )
    await expect(snapshot).rejects.toThrow('division by zero')
    markSnapshotRejected()
    await snapshotRejected
    await expect(laterQuery).rejects.toThrow('The transaction has ended')
  })

  it('cannot insert rows once its user is deleted', async () => {
    const deletedUser = await server.createUser('leaver')
    const { keyId } = await deletedUser.withKey('monitors:read')
    const insertAfterDeletion = db()
      .as({ teamId: deletedUser.id, userId: deletedUser.id, keyId, sessionId: null })
      .transaction(async (q) => {
        await db().query('delete from users where id = $1', [deletedUser.id])
        await q.query(
          `insert into api_keys (user_id, name, scopes, prefix, key_hash, created_at)
           values ($1, 'late', '{monitors:read}', 'x', 'late', now())`,
          [deletedUser.id],
        )
      })
    await expect(insertAfterDeletion).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await db().query(`select id from api_keys where name = 'late'`)).toEqual([])
  })

  it('cannot write rows of another user', async () => {
    const [one, two] = people as [(typeof people)[number], (typeof people)[number]]
    const insert = db()
      .as(one.tenantId)
      .query(
        `insert into api_keys (user_id, name, scopes, prefix, key_hash, created_at)
         values ($1, 'x', '{monitors:read}', 'x', 'x', now())`,
        [two.tenantId.teamId],
      )
    await expect(insert).rejects.toMatchObject({ code: 'forbidden' })
    expect(
      await db().as(one.tenantId).query('delete from api_keys where user_id = $1 returning id', [two.tenantId.teamId]),
    ).toEqual([])
  })
})
