/** The daily salts are stored in the database. Nodes cache them for a minute. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ensureSalt } from '../../src/traffic/collect/store.ts'
import { VisitorSalts } from '../../src/traffic/collect/visitor-id.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.close())

const days = new Set(['2026-01-05', '2026-01-06'])
const today = [...days][0] as string

describe('the daily salts', () => {
  it('are the same on every node', async () => {
    const { db } = server.services
    const nodes = [new VisitorSalts(), new VisitorSalts(), new VisitorSalts()]
    await Promise.all(nodes.map((salts) => salts.ensureLoaded(db, days)))
    for (const day of days) expect(new Set(nodes.map((salts) => salts.get(day).toString('hex'))).size).toBe(1)
  })

  it('expire from memory even if no event arrives', async () => {
    const salts = new VisitorSalts(30)
    await salts.ensureLoaded(server.services.db, days)
    expect(salts.get(today)).toHaveLength(32)
    await vi.waitFor(() => expect(() => salts.get(today)).toThrow('is not loaded'), 20_000)
  })

  it('are replaced on every node after a restore has deleted them', async () => {
    const { db } = server.services
    const nodes = [new VisitorSalts(30), new VisitorSalts(30)]
    await Promise.all(nodes.map((salts) => salts.ensureLoaded(db, days)))
    await db.query('delete from visitor_salts')
    const newSalt = await ensureSalt(db, today, Buffer.alloc(32, 7))
    await vi.waitFor(async () => {
      for (const salts of nodes) {
        await salts.ensureLoaded(db, days)
        expect(salts.get(today)).toEqual(newSalt)
      }
    }, 20_000)
  })

  it('are all available right after they are prepared, however soon they expire', async () => {
    const salts = new VisitorSalts(1)
    for (let n = 0; n < 50; n++) {
      await salts.ensureLoaded(server.services.db, days)
      for (const day of days) expect(salts.get(day)).toHaveLength(32)
    }
  })
})
