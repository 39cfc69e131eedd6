import { describe, expect, it } from 'vitest'
import { fitsOneSegment } from './sms-segment.ts'

describe('one segment of a text message', () => {
  it.each([
    ['ASCII letters', 'a', 160],
    ['letters of the GSM alphabet beyond ASCII', 'Ü', 160],
    ['line breaks', '\n', 160],
    ['characters that count twice', '€', 80],
    ['letters outside the GSM alphabet', 'ł', 70],
    ['characters outside the basic multilingual plane', '🔔', 35],
  ])('has a limit for %s', (_case, character, max) => {
    expect([fitsOneSegment(character.repeat(max)), fitsOneSegment(character.repeat(max + 1))]).toEqual([true, false])
  })

  it('has the lower limit as soon as one letter is outside the GSM alphabet', () => {
    expect(fitsOneSegment(`${'a'.repeat(69)}ł`)).toBe(true)
    expect(fitsOneSegment(`${'a'.repeat(70)}ł`)).toBe(false)
  })
})
