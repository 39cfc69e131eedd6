import { describe, expect, it } from 'vitest'
import { wrapDetails, wrapUsage } from './wrap.ts'

describe('a help text', () => {
  it('continues a long line on the next one, and keeps the break after a short line', () => {
    const words = Array.from({ length: 20 }, () => 'words').join(' ')
    expect(wrapDetails(`  ${words}\n  and more.\n  A new line.`).split('\n')).toEqual([
      `  ${Array.from({ length: 13 }, () => 'words').join(' ')}`,
      `  ${Array.from({ length: 7 }, () => 'words').join(' ')} and more.`,
      '  A new line.',
    ])
  })

  it('indents the explanation of a term', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
    const lines = wrapDetails(`  --option  ${words(20)}\n  --other  text`).split('\n')
    expect(lines).toEqual([`  --option  ${words(13)}`, `            ${words(7)}`, '  --other  text'])
  })

  it('keeps examples and empty lines', () => {
    const example = `  Like this:\n\n    ${'x'.repeat(90)}`
    expect(wrapDetails(example)).toBe(example)
  })

  it('keeps an option and its value together', () => {
    expect(wrapUsage('belfry install ', '[--option <value>] '.repeat(4)).split('\n')).toEqual([
      'belfry install [--option <value>] [--option <value>] [--option <value>]',
      '               [--option <value>]',
    ])
  })
})
