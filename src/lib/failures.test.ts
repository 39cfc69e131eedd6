import { describe, expect, it } from 'vitest'
import { limitFailures } from './failures.ts'
import { WindowCounter } from './window-counter.ts'

const limit = { count: 3, windowSeconds: 900 }
const limits = [
  { name: 'address', limit: { ...limit, count: 5 } },
  { name: 'account', limit },
]

function guarded() {
  const counter = new WindowCounter({ now: () => new Date('2026-01-05T10:00:00Z') })
  return (attempt: () => Promise<string | undefined>) => limitFailures(counter, limits, 'Too many.', attempt)
}

const right = async () => 'in'
const wrong = async () => undefined
const away = async () => {
  throw new Error('the database is away')
}

describe('failures', () => {
  it('are counted until there are too many, also where all come at once', async () => {
    const guard = guarded()
    const attempts = await Promise.allSettled([wrong, wrong, wrong, wrong, wrong].map(guard))
    expect(attempts.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ])
    await expect(guard(right)).rejects.toThrow('Too many.')
  })

  it('are not what succeeds', async () => {
    const guard = guarded()
    for (let n = 0; n < 20; n++) expect(await guard(right)).toBe('in')
  })

  it('are not an outage: what came to no end is given back', async () => {
    const guard = guarded()
    for (let n = 0; n < 20; n++) await expect(guard(away)).rejects.toThrow('the database is away')
    expect(await guard(right)).toBe('in')
    // And nothing that did fail before is.
    for (const attempt of [wrong, wrong, wrong]) expect(await guard(attempt)).toBe(undefined)
    await expect(guard(right)).rejects.toThrow('Too many.')
  })
})
