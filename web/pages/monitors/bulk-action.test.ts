import { describe, expect, it } from 'vitest'
import { runInBatches } from './bulk-action.ts'

const ids = Array.from({ length: 2_500 }, (_, n) => n + 1)

describe('an action on many monitors', () => {
  it('is sent in requests of a thousand and reports its progress', async () => {
    const sizes: number[] = []
    const progress: number[] = []
    const result = await runInBatches(
      'pause',
      ids,
      async ({ ids, action }) => {
        expect(action).toBe('pause')
        sizes.push(ids.length)
        return { ids: ids.filter((id) => id !== 7), not_found: ids.filter((id) => id === 7) }
      },
      ({ doneIds }) => progress.push(doneIds.length),
    )
    expect(sizes).toEqual([1_000, 1_000, 500])
    expect(progress).toEqual([999, 1_999, 2_499])
    expect(result.missingIds).toEqual([7])
    expect(result.error).toBeUndefined()
  })

  it('stops when a request fails and reports what was done before', async () => {
    let requests = 0
    const result = await runInBatches('delete', ids, async ({ ids }) => {
      requests += 1
      if (requests === 2) throw new Error('unreachable')
      return { ids, not_found: [] }
    })
    expect(requests).toBe(2)
    expect(result.doneIds).toHaveLength(1_000)
    expect(result.error).toEqual(new Error('unreachable'))
  })
})
