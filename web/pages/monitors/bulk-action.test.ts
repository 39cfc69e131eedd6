import { describe, expect, it } from 'vitest'
import { countMonitors, invertSteps, planBulkAction, runInBatches } from './bulk-action.ts'

const ids = Array.from({ length: 2_500 }, (_, n) => n + 1)

describe('an action on many monitors', () => {
  it('is sent in requests of a thousand and reports its progress', async () => {
    const sizes: number[] = []
    const progress: number[] = []
    const result = await runInBatches(
      [{ action: 'pause', ids }],
      async ({ ids, action }) => {
        expect(action).toBe('pause')
        sizes.push(ids.length)
        return { ids: ids.filter((id) => id !== 7), not_found: ids.filter((id) => id === 7) }
      },
      (_, { doneSteps }) => progress.push(countMonitors(doneSteps)),
    )
    expect(sizes).toEqual([1_000, 1_000, 500])
    expect(progress).toEqual([999, 1_999, 2_499])
    expect([...result.missingIds]).toEqual([7])
    expect(result.error).toBeUndefined()
  })

  it('stops when a request fails and reports what was done before', async () => {
    let requests = 0
    const result = await runInBatches([{ action: 'delete', ids }], async ({ ids }) => {
      requests += 1
      if (requests === 2) throw new Error('unreachable')
      return { ids, not_found: [] }
    })
    expect(requests).toBe(2)
    expect(countMonitors(result.doneSteps)).toBe(1_000)
    expect(result.error).toEqual(new Error('unreachable'))
  })
})

describe('a planned action', () => {
  const monitors = [
    { id: 1, status: 'up' as const, tags: ['Shop', 'eu'] },
    { id: 2, status: 'paused' as const, tags: ['shop'] },
    { id: 3, status: 'down' as const, tags: [] },
  ]

  it('leaves out monitors that it would not change', () => {
    expect(planBulkAction('pause', monitors)).toEqual([{ action: 'pause', ids: [1, 3] }])
    expect(planBulkAction('resume', monitors)).toEqual([{ action: 'resume', ids: [2] }])
    expect(planBulkAction('delete', monitors)).toEqual([{ action: 'delete', ids: [1, 2, 3] }])
    expect(planBulkAction('remove_tags', monitors, ['us'])).toEqual([])
  })

  it('adds a tag only to monitors without it, so that undo keeps it on monitors that had it before', () => {
    const steps = planBulkAction('add_tags', monitors, ['EU', 'shop'])
    expect(steps).toEqual([
      { action: 'add_tags', ids: [2, 3], tags: ['EU'] },
      { action: 'add_tags', ids: [3], tags: ['shop'] },
    ])
    expect(invertSteps(steps).map(({ action }) => action)).toEqual(['remove_tags', 'remove_tags'])
  })

  it('removes a tag in every spelling, so that undo restores each spelling', () => {
    const steps = planBulkAction('remove_tags', monitors, ['SHOP'])
    expect(invertSteps(steps)).toEqual([
      { action: 'add_tags', ids: [1], tags: ['Shop'] },
      { action: 'add_tags', ids: [2], tags: ['shop'] },
    ])
  })
})
