import { expect, it } from 'vitest'
import { MAX_BATCH_SIZE, splitIntoBatches } from './batches.ts'

it('makes batches that the server takes', () => {
  const ids = Array.from({ length: 2 * MAX_BATCH_SIZE + 1 }, (_, id) => id)
  expect(splitIntoBatches(ids).map((batch) => batch.length)).toEqual([MAX_BATCH_SIZE, MAX_BATCH_SIZE, 1])
  expect(splitIntoBatches([])).toEqual([])
})
