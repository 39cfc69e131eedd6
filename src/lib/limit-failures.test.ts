import { describe, expect, it } from 'vitest'
import { limitFailures } from './limit-failures.ts'
import { WindowCounter } from './window-counter.ts'

const limit = { count: 3, windowSeconds: 900 }
const limits = [
  { name: 'address', limit: { ...limit, count: 5 } },
  { name: 'account', limit },
]

function createLimitedRunner() {
  const counter = new WindowCounter({ now: () => new Date('2026-01-05T10:00:00Z') })
  return (attempt: () => Promise<string | undefined>) => limitFailures(counter, limits, 'Too many.', attempt)
}

const succeed = async () => 'in'
const fail = async () => undefined
const crash = async () => {
  throw new Error('the database is unavailable')
}

describe('limitFailures', () => {
  it('refuses further attempts after too many failures, including concurrent ones', async () => {
    const runLimited = createLimitedRunner()
    const attempts = await Promise.allSettled([fail, fail, fail, fail, fail].map(runLimited))
    expect(attempts.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ])
    await expect(runLimited(succeed)).rejects.toThrow('Too many.')
  })

  it('does not count successes', async () => {
    const runLimited = createLimitedRunner()
    for (let n = 0; n < 20; n++) expect(await runLimited(succeed)).toBe('in')
  })

  it('does not count attempts that threw', async () => {
    const runLimited = createLimitedRunner()
    for (let n = 0; n < 20; n++) await expect(runLimited(crash)).rejects.toThrow('the database is unavailable')
    expect(await runLimited(succeed)).toBe('in')
    // The limit still applies to attempts that fail.
    for (const attempt of [fail, fail, fail]) expect(await runLimited(attempt)).toBe(undefined)
    await expect(runLimited(succeed)).rejects.toThrow('Too many.')
  })
})
