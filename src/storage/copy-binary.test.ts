import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { copyRows } from './copy.ts'
import {
  decodeDate,
  decodeInt2Array,
  decodeInt4,
  decodeInt4Array,
  decodeInt8Array,
  decodeTextArray,
  decodeTimeArray,
  readFields,
} from './copy-binary.ts'

let client: pg.Client

beforeAll(async () => {
  client = await connectToPostgres()
})
afterAll(() => client.end())

async function readField(expression: string): Promise<Uint8Array> {
  const [row] = await copyRows(client, `select ${expression}`)
  return readFields(row as Uint8Array)[0] as Uint8Array
}

describe('a row', () => {
  it('has the fields that PostgreSQL sent, as views of its bytes', async () => {
    const [row] = (await copyRows(client, `select 7::int4, null::text, ''::text, '\\x00ff'::bytea`)) as [Uint8Array]
    const fields = readFields(row)
    expect(fields).toEqual([Uint8Array.of(0, 0, 0, 7), null, new Uint8Array(), Uint8Array.of(0, 255)])
    expect(fields.map((field) => field?.buffer === row.buffer)).toEqual([true, false, true, true])
  })

  it('can have no fields', async () => {
    expect((await copyRows(client, 'select from generate_series(1, 2)')).map(readFields)).toEqual([[], []])
  })

  it('is rejected if it is truncated', async () => {
    const [row] = (await copyRows(client, `select 'text', 1`)) as [Uint8Array]
    for (let length = 0; length < row.length; length++) {
      expect(() => readFields(row.subarray(0, length))).toThrow()
    }
  })
})

type Decoder = (field: Uint8Array) => unknown

describe('a field', () => {
  it.each<[string, Decoder, unknown]>([
    ['(-2147483648)::int4', decodeInt4, -2_147_483_648],
    ['2147483647::int4', decodeInt4, 2_147_483_647],
    [`date '2000-01-01'`, decodeDate, '2000-01-01'],
    [`date '1999-12-31'`, decodeDate, '1999-12-31'],
    [`date '2024-02-29'`, decodeDate, '2024-02-29'],
    [`date '0001-01-01'`, decodeDate, '0001-01-01'],
    [`date '9999-12-31'`, decodeDate, '9999-12-31'],
  ])('with the value %s is read', async (expression, decode, value) => {
    expect(decode(await readField(expression))).toBe(value)
  })

  it.each<[string, Decoder, string]>([
    [`date 'infinity'`, decodeDate, 'A date is infinite'],
    [`date '-infinity'`, decodeDate, 'A date is infinite'],
    [`date '10000-01-01'`, decodeDate, 'not in the years 1 to 9999'],
    [`date '0001-12-31 BC'`, decodeDate, 'not in the years 1 to 9999'],
    ['1::int2', decodeInt4, 'A field has 2 bytes instead of 4'],
  ])('with the value %s is rejected', async (expression, decode, message) => {
    const field = await readField(expression)
    expect(() => decode(field)).toThrow(message)
  })
})

describe('an array', () => {
  it.each<[string, Decoder, unknown]>([
    [`'{1,-32768,32767}'::int2[]`, decodeInt2Array, Int16Array.of(1, -32_768, 32_767)],
    [`'{}'::int2[]`, decodeInt2Array, new Int16Array()],
    [`'{1,-2,2147483647}'::int4[]`, decodeInt4Array, Int32Array.of(1, -2, 2_147_483_647)],
    [`'{}'::int4[]`, decodeInt4Array, new Int32Array()],
    [`'[5:6]={1,2}'::int4[]`, decodeInt4Array, Int32Array.of(1, 2)],
    // The slice keeps the flag for nulls.
    [`('{null,1,2}'::int4[])[2:3]`, decodeInt4Array, Int32Array.of(1, 2)],
    [`'{0,-1,9007199254740991}'::int8[]`, decodeInt8Array, Float64Array.of(0, -1, Number.MAX_SAFE_INTEGER)],
    [`'{-9007199254740991,-4294967297}'::int8[]`, decodeInt8Array, Float64Array.of(-(2 ** 53 - 1), -4_294_967_297)],
    [
      `'{1970-01-01 00:00:00.001Z,2026-11-18 01:02:03.456Z}'::timestamptz[]`,
      decodeTimeArray,
      Float64Array.of(1, Date.parse('2026-11-18T01:02:03.456Z')),
    ],
    [`'{}'::int8[]`, decodeInt8Array, new Float64Array()],
    [`array['a', null, '', 'Zoë 😀', 'NULL', '"{,}\\']`, decodeTextArray, ['a', null, '', 'Zoë 😀', 'NULL', '"{,}\\']],
    // A byte order mark.
    [`array[chr(65279) || 'a']`, decodeTextArray, ['\ufeffa']],
    [`'{}'::text[]`, decodeTextArray, []],
    [`'{null}'::text[]`, decodeTextArray, [null]],
    [`'{abc}'::varchar(9)[]`, decodeTextArray, ['abc']],
  ])('with the value %s is read', async (expression, decode, value) => {
    expect(decode(await readField(expression))).toEqual(value)
  })

  it.each<[string, Decoder, string]>([
    [`'{1,null}'::int2[]`, decodeInt2Array, 'An array of int2 contains nulls'],
    [`'{1,null}'::int4[]`, decodeInt4Array, 'An array of int4 contains nulls'],
    [`'{null}'::int8[]`, decodeInt8Array, 'An array of int8 contains nulls'],
    [`'{1,-9007199254740992,2}'::int8[]`, decodeInt8Array, '-9007199254740992 is not a safe integer'],
    [`'{-9223372036854775808}'::int8[]`, decodeInt8Array, '-9223372036854775808 is not a safe integer'],
    [`'{9007199254740992}'::int8[]`, decodeInt8Array, '9007199254740992 is not a safe integer'],
    [`'{1}'::int8[]`, decodeInt4Array, 'An array has elements of type 20 instead of 23 (int4)'],
    [`'{{1},{2}}'::int4[]`, decodeInt4Array, 'An array has 2 dimensions'],
    [`'{{a},{b}}'::text[]`, decodeTextArray, 'An array has 2 dimensions'],
  ])('with the value %s is rejected', async (expression, decode, message) => {
    const field = await readField(expression)
    expect(() => decode(field)).toThrow(message)
  })

  it.each<[string, Decoder]>([
    [`'{1,2}'::int4[]`, decodeInt4Array],
    [`'{a,bc}'::text[]`, decodeTextArray],
  ])('with the value %s is rejected if it is truncated', async (expression, decode) => {
    const field = await readField(expression)
    for (let length = 0; length < field.length; length++) expect(() => decode(field.subarray(0, length))).toThrow()
  })

  it('can have many elements', async () => {
    const field = await readField('array(select n * 7 - 1000000 from generate_series(1, 300000) n)')
    const numbers = decodeInt4Array(field)
    expect(numbers).toHaveLength(300_000)
    expect(numbers.every((number, index) => number === (index + 1) * 7 - 1_000_000)).toBe(true)
  })
})
