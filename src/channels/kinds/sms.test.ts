import { describe, expect, it } from 'vitest'
import { fitsOneSegment, toGsmPunctuation } from './sms.ts'

describe('one segment of a text message', () => {
  it.each([
    ['ASCII letters', 'a', 160],
    ['letters of the GSM alphabet beyond ASCII', 'Ü', 160],
    ['line breaks', '\n', 160],
    ['characters that count twice', '€', 80],
    ['letters outside the GSM alphabet', 'ł', 70],
    ['characters outside the basic multilingual plane', '🔔', 35],
  ])('has room for a fixed number of %s', (_case, character, max) => {
    expect([fitsOneSegment(character.repeat(max)), fitsOneSegment(character.repeat(max + 1))]).toEqual([true, false])
  })

  it('has the lower limit as soon as one letter is outside the GSM alphabet', () => {
    expect(fitsOneSegment(`${'a'.repeat(69)}ł`)).toBe(true)
    expect(fitsOneSegment(`${'a'.repeat(70)}ł`)).toBe(false)
  })

  it('has room for 160 characters although our own texts contain dashes and quotes', () => {
    const text = toGsmPunctuation('Status 503, expected 200–399: “down”, it’s…')
    expect(text).toBe(`Status 503, expected 200-399: "down", it's...`)
    expect(fitsOneSegment(text.padEnd(160))).toBe(true)
  })
})
