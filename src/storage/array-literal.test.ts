import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { numbersLiteral, textsLiteral } from './array-literal.ts'

let client: Awaited<ReturnType<typeof connectToPostgres>>
beforeAll(async () => {
  client = await connectToPostgres()
})
afterAll(() => client.end())

describe('an array literal', () => {
  it.each([
    [[]],
    [['plain', null, 'NULL', 'null', '']],
    [['with "quotes"', 'back\\slash', '{braces}', 'a,b', ' spaces ', "it's", 'line\nbreak\ttab', 'Müller 🔔 \u2028']],
  ])('of texts reaches PostgreSQL unchanged: %j', async (texts) => {
    const { rows } = await client.query('select $1::text[] as texts', [textsLiteral(texts)])
    expect(rows[0].texts).toEqual(texts)
  })

  it.each([[[]], [[1, null, -5, 0]], [[1_763_200_000_123, 9_007_199_254_740_991]]])(
    'of numbers reaches PostgreSQL unchanged: %j',
    async (numbers) => {
      const { rows } = await client.query('select $1::float8[] as numbers', [numbersLiteral(numbers)])
      expect(rows[0].numbers).toEqual(numbers)
    },
  )
})
