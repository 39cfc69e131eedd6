import { expect, it } from 'vitest'
import { describeSlowestFiles } from './slowest-files.ts'

const createFiles = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ path: `tests/${n}.test.ts`, seconds: n * 10.04 }))

it('the summary lists the ten slowest files, the slowest first', () => {
  const lines = describeSlowestFiles(createFiles(12))
  expect(lines).toHaveLength(11)
  expect(lines[0]).toBe('Slowest files:')
  expect(lines[1]).toBe('  110.4 s  tests/11.test.ts')
  expect(lines[10]).toBe('   20.1 s  tests/2.test.ts')
})

it('the summary lists nothing for ten files or fewer', () => {
  expect(describeSlowestFiles(createFiles(10))).toEqual([])
})
