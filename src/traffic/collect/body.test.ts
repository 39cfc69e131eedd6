import { describe, expect, it } from 'vitest'
import { parseEventBody } from './body.ts'

const event = { name: 'pageview', url: 'https://example.com/', domain: 'example.com' }
const createFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n]))

describe('the body of an event', () => {
  it('can have a thousand fields, of which unknown ones are ignored', () => {
    expect(parseEventBody(JSON.stringify({ ...event, ...createFields(997) })).name).toBe('pageview')
  })

  it.each([
    ['more than a thousand fields', { ...event, ...createFields(100_000) }, 'An object can have at most 1000 fields.'],
    [
      'more than a thousand properties',
      { ...event, props: createFields(100_000) },
      'An object can have at most 1000 fields.',
    ],
    [
      'a list of more than a thousand entries',
      { ...event, list: Array(100_000).fill(0) },
      'A list can have at most 1000 entries.',
    ],
  ])('is refused with %s', (_name, body, message) => {
    expect(() => parseEventBody(JSON.stringify(body))).toThrow(message)
  })

  it('keeps the first 30 properties, but none of a JSON string that exceeds the limits', () => {
    const props = (count: number) => parseEventBody(JSON.stringify({ ...event, props: createFields(count) })).props
    expect(Object.keys(JSON.parse(props(1_000) ?? '')).length).toBe(30)
    const text = JSON.stringify(createFields(50_000))
    expect(parseEventBody(JSON.stringify({ ...event, props: text })).props).toBe(undefined)
  })
})
