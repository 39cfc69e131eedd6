/** Salts live in the database; a node has them in memory for a minute only. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ensureSalt } from '../../src/traffic/collect/website/website-store.ts'
import { VisitorSalts } from '../../src/traffic/collect/visitor/visitor-id.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.close())

const days = new Set(['2026-01-05', '2026-01-06'])
const today = [...days][0] as string

describe('the salts of days', () => {
  it('are the same for everybody who asks', async () => {
    const { db } = server.services
    const nodes = [new VisitorSalts(), new VisitorSalts(), new VisitorSalts()]
    await Promise.all(nodes.map((salts) => salts.prepare(db, days)))
    for (const one of days) expect(new Set(nodes.map((salts) => salts.find(one).toString('hex'))).size).toBe(1)
  })

  it('are forgotten after a while, though nobody comes', async () => {
    const salts = new VisitorSalts(30)
    await salts.prepare(server.services.db, days)
    expect(salts.find(today)).toHaveLength(32)
    await vi.waitFor(() => expect(() => salts.find(today)).toThrow('was not prepared'))
  })

  it('are taken up anew by every node when a restore has left none', async () => {
    const { db } = server.services
    const nodes = [new VisitorSalts(30), new VisitorSalts(30)]
    await Promise.all(nodes.map((salts) => salts.prepare(db, days)))
    await db.query('delete from visitor_salts')
    const made = await ensureSalt(db, today, Buffer.alloc(32, 7))
    await vi.waitFor(async () => {
      for (const salts of nodes) {
        await salts.prepare(db, days)
        expect(salts.find(today)).toEqual(made)
      }
    })
  })

  it('are all there for whoever goes on at once, however soon they are forgotten', async () => {
    const salts = new VisitorSalts(1)
    for (let n = 0; n < 50; n++) {
      await salts.prepare(server.services.db, days)
      for (const one of days) expect(salts.find(one)).toHaveLength(32)
    }
  })
})
