import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { buildNodeHasExpiredSql } from '../../src/nodes/store.ts'
import type { Queries } from '../../src/storage/transaction.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let leases: Lease[]
const log = pino({ level: 'silent' })

beforeAll(async () => {
  server = await startTestServer()
  leases = []
})
afterEach(async () => {
  await Promise.all(leases.splice(0).map((lease) => lease.stop()))
})
afterAll(() => server.close())

const db = () => server.services.db

async function startLease(): Promise<{ lease: Lease; claimant: Claimant }> {
  const lease = new Lease({ db: db(), log })
  leases.push(lease)
  const claimant = lease.createClaimant()
  await lease.start()
  return { lease, claimant }
}

/** Whether this node id has expired, so that other nodes may take over the claims that were made with it. */
async function isExpired(nodeId: number): Promise<boolean> {
  const [row] = await db().query(
    `select ${buildNodeHasExpiredSql('claim.claimed_by')} as expired from (select $1::bigint as claimed_by) claim`,
    [nodeId],
  )
  return row?.['expired']
}

const skipHeartbeats = (nodeId: number) =>
  db().query(`update nodes set seen_at = now() - interval '7 seconds' where id = $1`, [nodeId])

/** Returns the server's database. It rejects all queries while `isUnavailable` is true. */
function createFlakyDatabase(): Queries & { isUnavailable: boolean } {
  const unlessUnavailable = <T>(run: () => Promise<T>) =>
    database.isUnavailable ? Promise.reject(new Error('unavailable')) : run()
  const database: Queries & { isUnavailable: boolean } = {
    isUnavailable: false,
    query: (...args) => unlessUnavailable(() => db().query(...args)),
    batch: (...args) => unlessUnavailable(() => db().batch(...args)),
  }
  return database
}

describe('a lease', () => {
  it('is valid from start to stop', async () => {
    const { lease, claimant } = await startLease()
    const { id } = claimant
    expect([claimant.isValid(), await isExpired(id)]).toEqual([true, false])
    await lease.stop()
    expect([claimant.isValid(), await isExpired(id)]).toEqual([false, true])
  })

  it('gives each process its own id', async () => {
    const [firstLease, secondLease] = [await startLease(), await startLease()]
    expect(firstLease.claimant.id).not.toBe(secondLease.claimant.id)
  })

  it('starts only once, however often it is started', async () => {
    const { lease, claimant } = await startLease()
    const { id } = claimant
    await lease.start()
    expect(claimant.id).toBe(id)
  })

  it('expires for other nodes after a few seconds without a heartbeat', async () => {
    const { claimant } = await startLease()
    await skipHeartbeats(claimant.id)
    expect(await isExpired(claimant.id)).toBe(true)
  })

  it('continues under a new id after it expired, so that nothing under the old id counts', async () => {
    const [{ lease, claimant }, otherLease] = [await startLease(), await startLease()]
    const { id } = claimant
    await skipHeartbeats(id)
    await otherLease.lease.renew()
    await lease.renew()
    expect(claimant.id).not.toBe(id)
    expect([claimant.hasId(id), await isExpired(id), await isExpired(claimant.id)]).toEqual([false, true, false])
  })

  it('is not renewed under an id that has expired, even if no other node has deleted it', async () => {
    const { lease, claimant } = await startLease()
    const { id } = claimant
    await db().query(`update nodes set seen_at = now() - interval '5.5 seconds' where id = $1`, [id])
    await lease.renew()
    expect([claimant.hasId(id), claimant.isValid()]).toEqual([false, true])
  })

  it("is not valid after a sleep during which the machine's monotonic clock stood still", async () => {
    let localTime = Date.now()
    const lease = new Lease({ db: db(), log, localClock: { now: () => new Date(localTime) }, now: () => 0 })
    const claimant = lease.createClaimant()
    await lease.renew()
    localTime += 3_900
    expect(claimant.isValid()).toBe(true)
    localTime += 200
    expect(claimant.isValid()).toBe(false)
    await lease.renew()
    expect(claimant.isValid()).toBe(true)
    await lease.stop()
  })

  it('does not count other nodes as expired right after a database outage', async () => {
    let now = 0
    const flakyDatabase = createFlakyDatabase()
    const lease = new Lease({ db: flakyDatabase, log, now: () => now })
    const claimant = lease.createClaimant()
    const states: [isValid: boolean, isStable: boolean][] = []
    const renewAfter = async (ms: number) => {
      now += ms
      await lease.renew()
      states.push([claimant.isValid(), claimant.isStable()])
    }
    await renewAfter(0)
    flakyDatabase.isUnavailable = true
    await renewAfter(3_900)
    await renewAfter(200)
    await renewAfter(30_000)
    flakyDatabase.isUnavailable = false
    await renewAfter(500)
    await renewAfter(2_900)
    await renewAfter(200)
    await lease.stop()
    expect(states).toEqual([
      [true, true],
      [true, true],
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
  })
})

describe('claimants of one lease', () => {
  it('have separate ids and one heartbeat', async () => {
    const lease = new Lease({ db: db(), log })
    leases.push(lease)
    const [checksClaimant, messagesClaimant] = [lease.createClaimant(), lease.createClaimant()]
    await lease.start()
    expect(checksClaimant.id).not.toBe(messagesClaimant.id)
    for (const { id } of [checksClaimant, messagesClaimant]) {
      await db().query(`update nodes set seen_at = now() - interval '5 seconds' where id = $1`, [id])
    }
    await lease.renew()
    const rows = await db().query(`select from nodes where id = any ($1) and seen_at > now() - interval '4 seconds'`, [
      [checksClaimant.id, messagesClaimant.id],
    ])
    expect(rows).toHaveLength(2)
    await lease.stop()
    expect([checksClaimant.isValid(), messagesClaimant.isValid()]).toEqual([false, false])
  })

  it('abandon their own claims immediately, and leave the claims of other claimants alone', async () => {
    const lease = new Lease({ db: db(), log })
    leases.push(lease)
    const [checksClaimant, messagesClaimant] = [lease.createClaimant(), lease.createClaimant()]
    await lease.start()
    const [checksId, messagesId] = [checksClaimant.id, messagesClaimant.id]
    await checksClaimant.abandonClaims()
    expect([await isExpired(checksId), checksClaimant.isValid(), await isExpired(checksClaimant.id)]).toEqual([
      true,
      true,
      false,
    ])
    expect([messagesClaimant.id, messagesClaimant.isStable(), await isExpired(messagesId)]).toEqual([
      messagesId,
      true,
      false,
    ])
  })

  it('that abandon claims while the database is unavailable release them with the first heartbeat afterwards', async () => {
    const flakyDatabase = createFlakyDatabase()
    const lease = new Lease({ db: flakyDatabase, log })
    leases.push(lease)
    const claimant = lease.createClaimant()
    await lease.renew()
    const { id } = claimant
    flakyDatabase.isUnavailable = true
    await claimant.abandonClaims()
    expect([claimant.isValid(), await isExpired(id)]).toEqual([false, false])
    flakyDatabase.isUnavailable = false
    await lease.renew()
    expect([claimant.isValid(), await isExpired(id)]).toEqual([true, true])
  })
})
