import { describe, expect, it } from 'vitest'
import { fitsOneSegment } from './sms-segment.ts'

describe('one part of a text message', () => {
  it.each([
    ['letters', 'a', 160],
    ['letters of the GSM alphabet beyond ASCII', 'Ü', 160],
    ['line breaks', '\n', 160],
    ['characters that take the room of two', '€', 80],
    ['other letters', 'ł', 70],
    ['characters outside the basic plane', '🔔', 35],
  ])('holds so many %s', (_what, character, most) => {
    expect([fitsOneSegment(character.repeat(most)), fitsOneSegment(character.repeat(most + 1))]).toEqual([true, false])
  })

  it('holds fewer as soon as one is of another alphabet', () => {
    expect(fitsOneSegment(`${'a'.repeat(69)}ł`)).toBe(true)
    expect(fitsOneSegment(`${'a'.repeat(70)}ł`)).toBe(false)
  })
})
