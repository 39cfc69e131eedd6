import { describe, expect, it } from 'vitest'
import { runInBatches } from './bulk.ts'

const ids = Array.from({ length: 2_500 }, (_, n) => n + 1)

describe('an action on many monitors', () => {
  it('goes out in requests of a thousand, and tells how far it is', async () => {
    const sizes: number[] = []
    const progress: number[] = []
    const outcome = await runInBatches(
      'pause',
      ids,
      async ({ ids, action }) => {
        expect(action).toBe('pause')
        sizes.push(ids.length)
        return { ids: ids.filter((id) => id !== 7), not_found: ids.filter((id) => id === 7) }
      },
      ({ done }) => progress.push(done.length),
    )
    expect(sizes).toEqual([1_000, 1_000, 500])
    expect(progress).toEqual([999, 1_999, 2_499])
    expect(outcome.gone).toEqual([7])
    expect(outcome.error).toBeUndefined()
  })

  it('stops where a request fails, and knows what was done before', async () => {
    let sent = 0
    const outcome = await runInBatches('delete', ids, async ({ ids }) => {
      sent += 1
      if (sent === 2) throw new Error('away')
      return { ids, not_found: [] }
    })
    expect(sent).toBe(2)
    expect(outcome.done).toHaveLength(1_000)
    expect(outcome.error).toEqual(new Error('away'))
  })
})
