import { describe, expect, it } from 'vitest'
import { resolutionOf } from './resolution.ts'

describe('the size of a screen', () => {
  it.each(['1920x1080', '1x1', '20000x20000', '390x844'])('is %s', (text) => {
    expect(resolutionOf(text)).toBe(text)
  })

  it.each([
    '0x0',
    '1920x0',
    '01920x1080',
    '20001x1',
    '1x20001',
    '1920X1080',
    '1920 x 1080',
    '1920×1080',
    '-1x5',
    '1.5x2',
    '1e3x5',
    '1920x1080x2',
    '1920x1080\n',
    'x',
    '',
    '9'.repeat(100_000),
    1920,
    null,
    undefined,
    ['1x1'],
    { toString: () => '1x1' },
  ])('is not %.30j', (text) => {
    expect(resolutionOf(text)).toBeUndefined()
  })
})
