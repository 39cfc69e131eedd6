import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToPostgres } from '../../tests/support/database.ts'
import { runBatch } from './batch.ts'

let client: pg.Client

beforeAll(async () => {
  client = await connectToPostgres()
  await client.query(`set timezone = 'UTC'`)
})
afterAll(() => client.end())

describe('a value written as JSON equals JSON.stringify of the parsed value', () => {
  it.each([
    `null::text`,
    `'plain'::text`,
    `E'quotes " and \\\\ and \\n and ü and 🔔'::text`,
    `''::text`,
    `7::int`,
    `-7::bigint`,
    `9007199254740991::bigint`,
    `1.5::float8`,
    `'NaN'::float8`,
    `'{}'::bigint[]`,
    `'{7}'::bigint[]`,
    `'{7,-8,9007199254740991}'::bigint[]`,
    `true`,
    `false`,
    `'{}'::text[]`,
    `'{a}'::text[]`,
    `'{monitors:read,monitors:write}'::text[]`,
    `array['with,comma', 'with"quote', null, 'NULL', '', 'back\\slash', 'ü']`,
    `'{"a": [1, "x"]}'::json`,
    `'{"a": [1, "x"]}'::jsonb`,
    `'2026-01-05T10:00:00.123Z'::timestamptz`,
    `'2026-01-05T10:00:00.1Z'::timestamptz`,
    `'2026-01-05T10:00:00Z'::timestamptz`,
    `'2026-01-05T10:00:00.123456Z'::timestamptz`,
    `'2026-01-05T23:59:59.999999Z'::timestamptz`,
    `'1999-01-05T10:00:00.5Z'::timestamptz`,
    `'0999-01-05T10:00:00Z'::timestamptz`,
    `'12026-01-05T10:00:00Z'::timestamptz`,
    `'22026-01-05T10:00:00Z'::timestamptz`,
    `'2026-01-05'::date`,
    `1.50::numeric`,
  ])('%s', async (value) => {
    const text = `select ${value} as value`
    const [parsed, json] = await runBatch(client, [{ text }, { text, asJson: true }])
    expect(JSON.parse(json?.json ?? '')).toEqual(JSON.parse(JSON.stringify(parsed?.rows[0])))
  })
})
