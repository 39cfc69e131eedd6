import { describe, expect, it } from 'vitest'
import { parseLanguage, parseScreenResolution } from './browser-settings.ts'

describe('the preferred language', () => {
  it.each([
    ['de', 'de'],
    ['de-CH', 'de'],
    ['DE-de', 'de'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.8,fr;q=0.9', 'fr'],
    ['en;q=0.8, fr ; q = 0.9 , nl;q=0.7', 'fr'],
    ['en;q=0.5,fr;q=0.5', 'en'],
    ['en;q=0,fr;q=0.1', 'fr'],
    ['*,de;q=0.5', 'de'],
    ['x-klingon,de;q=0.1', 'de'],
    ['zh-Hans-CN', 'zh'],
    ['zh_TW', 'zh'],
    ['fil-PH', 'fil'],
    ['iw-IL', 'he'],
    ['in', 'id'],
    ['en;q=1.000', 'en'],
    ['en;level=1,de;q=0.3', 'de'],
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['*;q=0.5', undefined],
    ['en;q=0', undefined],
    ['en;q=2', undefined],
    ['c', undefined],
    ['i-klingon', undefined],
    ['english', undefined],
    ['日本語', undefined],
    ['\ud800', undefined],
    ['constructor', undefined],
    [','.repeat(100_000), undefined],
    [`${' '.repeat(100_000)}de`, undefined],
    [`en-${'a-'.repeat(100_000)}`, 'en'],
  ])('of %.60j is %s', (header, language) => {
    expect(parseLanguage(header)).toBe(language)
  })
})

describe('the screen resolution', () => {
  it.each(['1920x1080', '1x1', '20000x20000', '390x844'])('can be %s', (text) => {
    expect(parseScreenResolution(text)).toBe(text)
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
  ])('cannot be %.30j', (text) => {
    expect(parseScreenResolution(text)).toBeUndefined()
  })
})
