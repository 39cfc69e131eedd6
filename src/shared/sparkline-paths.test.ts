import { expect, it } from 'vitest'
import { buildSparklinePaths } from './sparkline-paths.ts'

it('a sparkline goes from 0 to the highest value', () => {
  expect(buildSparklinePaths([0, 5, 10]).line).toBe('M0 26L60 14L120 2')
  expect(buildSparklinePaths([0, 10]).area).toBe('M0 26L120 2L120 28L0 28Z')
})

it('a sparkline is interrupted at gaps, and shows a single point between two gaps', () => {
  expect(buildSparklinePaths([null, 4, null, 4, 4]).line).toBe('M30 2L45 2M90 2L120 2')
  expect(buildSparklinePaths([null, null, 4]).line).toBe('M90 2L120 2')
  expect(buildSparklinePaths([null, null, 4]).area).toBe('M90 2L120 2L120 28L90 28Z')
  expect(buildSparklinePaths([null, null])).toEqual({ line: '', area: '', partialLine: '' })
})

it('a sparkline has a separate path for the segment to a day that is not over', () => {
  expect(buildSparklinePaths([0, 10, 0], true)).toMatchObject({ line: 'M0 26L60 2', partialLine: 'M60 2L120 26' })
})
