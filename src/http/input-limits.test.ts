import { describe, expect, it } from 'vitest'
import { limitFieldNames, limitJson, limitParameters } from './input-limits.ts'

const repeat = (text: string, count: number) => Array.from({ length: count }, () => text).join()
const createFields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, n])))

describe('the limits of a JSON body', () => {
  it.each([
    ['100 fields', createFields(100)],
    ['2,000 list entries', `[${repeat('0', 2_000)}]`],
    ['10 levels', `${'['.repeat(10)}${']'.repeat(10)}`],
    ['10,000 values', `[${repeat(`[${repeat('0', 999)}]`, 10)}]`],
    ['many objects after each other', `[${repeat('{"a": 1}', 1_000)}]`],
    ['brackets and commas in strings', JSON.stringify({ text: '[{,'.repeat(20_000) })],
    ['escaped quotes in strings', JSON.stringify({ text: '"[\\",'.repeat(20_000) })],
    ['backslashes before the end of strings', JSON.stringify({ [`a${'\\'.repeat(9)}`]: '\\', b: '\\\\' })],
    ['text that is not JSON', '}}]]",,,'],
    ['an unfinished string', `"${'[,'.repeat(20_000)}`],
  ])('allow %s', (_name, text) => {
    expect(() => limitJson(text)).not.toThrow()
  })

  it.each([
    ['101 fields', createFields(101), 'An object can have at most 100 fields.'],
    ['101 fields of an inner object', `[1, ${createFields(101)}]`, 'An object can have at most 100 fields.'],
    ['one field that occurs 101 times', `{${repeat('"a": 1', 101)}}`, 'An object can have at most 100 fields.'],
    ['2,001 list entries', `{"a": [${repeat('0', 2_001)}]}`, 'A list can have at most 2000 entries.'],
    ['11 levels', '['.repeat(11), 'Objects and lists can be nested at most 10 levels deep.'],
    ['11 levels of objects', '{"a":'.repeat(11), 'Objects and lists can be nested at most 10 levels deep.'],
    ['10,001 values', `[${repeat(`[${repeat('0', 1_000)}]`, 11)}]`, 'The body can have at most 10000 values.'],
    ['101 fields after a string that ends with a backslash', `["\\\\", ${createFields(101)}]`, 'An object can have'],
  ])('reject %s', (_name, text, message) => {
    expect(() => limitJson(text)).toThrow(message)
  })

  it('stop reading early, however long the body is', () => {
    const bomb = createFields(130_000)
    const startedAt = performance.now()
    for (let n = 0; n < 20; n++) expect(() => limitJson(bomb)).toThrow()
    const scanMs = (performance.now() - startedAt) / 20
    const parseStartedAt = performance.now()
    JSON.parse(bomb)
    expect(scanMs).toBeLessThan((performance.now() - parseStartedAt) / 10)
  })
})

describe('the limits of a form or query', () => {
  it('allow 2,100 values of 100 different fields', () => {
    expect(() => limitParameters(Array(2_100).fill('a=1').join('&'), 'body')).not.toThrow()
    expect(() => limitFieldNames(JSON.parse(createFields(100)), 'body')).not.toThrow()
  })

  it('reject more values or fields', () => {
    const text = Array(2_101).fill('a=1').join('&')
    expect(() => limitParameters(text, 'query')).toThrow('The query can have at most 2100 values.')
    const fields = JSON.parse(createFields(101))
    expect(() => limitFieldNames(fields, 'body')).toThrow('The body can have at most 100 different fields.')
  })
})
