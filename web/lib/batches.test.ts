import { expect, it } from 'vitest'
import { BATCH, batchesOf } from './batches.ts'

it('makes batches that the server takes', () => {
  const ids = Array.from({ length: 2 * BATCH + 1 }, (_, id) => id)
  expect(batchesOf(ids).map((batch) => batch.length)).toEqual([BATCH, BATCH, 1])
  expect(batchesOf([])).toEqual([])
})
