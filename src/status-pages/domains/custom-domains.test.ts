import { describe, expect, it } from 'vitest'
import type { Queries } from '../../storage/transaction.ts'
import { CustomDomains } from './custom-domains.ts'

/** Returns a database whose queries wait until the test answers them. */
function openQueries() {
  const answers: ((rows: { domain: string; slug: string }[]) => void)[] = []
  const query = () => new Promise((resolve) => answers.push(resolve))
  return { db: { query } as unknown as Queries, answers }
}

describe('CustomDomains', () => {
  it('finds pages by their stored copies until it has read the database', async () => {
    const domains = new CustomDomains((domain) => (domain === 'status.example.org' ? 'example' : undefined))
    const { db, answers } = openQueries()
    const refresh = domains.refresh(db)
    expect(domains.findSlug('status.example.org')).toBe('example')
    answers[0]?.([{ domain: 'new.example.org', slug: 'new-page' }])
    await refresh
    expect(domains.findSlug('status.example.org')).toBeUndefined()
    expect(domains.findSlug('new.example.org')).toBe('new-page')
  })

  it('does not go back to an earlier state if two reads end in the reverse order', async () => {
    const domains = new CustomDomains(() => undefined)
    const { db, answers } = openQueries()
    const refreshes = [domains.refresh(db), domains.refresh(db)]
    answers[1]?.([{ domain: 'status.example.org', slug: 'renamed' }])
    await refreshes[1]
    answers[0]?.([{ domain: 'status.example.org', slug: 'example' }])
    await refreshes[0]
    expect(domains.findSlug('status.example.org')).toBe('renamed')
  })

  it('still finds pages while the database is unavailable', async () => {
    const domains = new CustomDomains(() => undefined)
    const { db, answers } = openQueries()
    const refresh = domains.refresh(db)
    answers[0]?.([{ domain: 'status.example.org', slug: 'example' }])
    await refresh
    const failingDatabase = { query: () => Promise.reject(new Error('unavailable')) } as unknown as Queries
    await expect(domains.refresh(failingDatabase)).rejects.toThrow('unavailable')
    expect(domains.findSlug('status.example.org')).toBe('example')
  })
})
