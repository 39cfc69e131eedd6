import { describe, expect, it } from 'vitest'
import { requireSupportedServer } from './open-database.ts'

const createClient = (major: number) => ({ query: async () => ({ rows: [{ major }] }) }) as never

describe('a PostgreSQL server', () => {
  it.each([15, 16, 17, 18])('of version %d is supported', async (major) => {
    expect(await requireSupportedServer(createClient(major))).toEqual({ isTested: true })
  })

  it('of version 14 is refused, with the supported versions and what to do', async () => {
    await expect(requireSupportedServer(createClient(14))).rejects.toMatchObject({
      message: 'The database is PostgreSQL 14; Belfry supports 15 to 18.',
      hint: 'Point DATABASE_URL at a newer server, or leave it unset to use the embedded one.',
    })
  })

  it('of a newer version is accepted, but reported as not tested', async () => {
    expect(await requireSupportedServer(createClient(19))).toEqual({ isTested: false })
  })
})
