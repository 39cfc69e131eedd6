import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MmdbValue, writeMmdb } from '../../../../tests/support/mmdb.ts'
import { createLog } from '../../../lib/log.ts'
import { loadGeolocation } from './geolocation.ts'

const nestedRecord = {
  country: { iso_code: 'US', names: { de: 'USA', en: 'United States' } },
  subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }],
  city: { geoname_id: 5_368_361, names: { de: 'Los Angeles', en: 'Los Angeles' } },
  location: { latitude: -34.05, accuracy_radius: 20 },
  traits: { is_anycast: false },
}

describe('the location of an IP address', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'belfry-geo-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function writeDatabaseFile(bytes: Buffer): string {
    const path = join(folder, `${crypto.randomUUID()}.mmdb`)
    writeFileSync(path, bytes)
    return path
  }

  async function load(geoDb: string | undefined) {
    const logLines: string[] = []
    const locate = await loadGeolocation(geoDb, createLog('info', { write: (line: string) => logLines.push(line) }))
    return { locate, logLines }
  }

  it.each([
    ['8.8.8.8', { country: 'US' }],
    ['::ffff:8.8.8.8', { country: 'US' }],
    ['2001:4860:4860::8888', { country: 'US' }],
    ['2001:4860:4860::8888%eth0', { country: 'US' }],
    ['193.0.6.139', { country: 'NL' }],
  ])('of %s is a country in the bundled database', async (address, location) => {
    const { locate, logLines } = await load(undefined)
    expect(locate(address)).toEqual(location)
    expect(logLines).toEqual([])
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '100.64.0.1',
    '192.168.1.1',
    '172.31.0.1',
    '169.254.1.1',
    '::1',
    '::',
    'fd12::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
  ])(
    'of %s is unknown even if a database has a location for it, because the address is not public',
    async (address) => {
      const { locate } = await load(
        writeDatabaseFile(
          writeMmdb({ '0.0.0.0/1': nestedRecord, '128.0.0.0/1': nestedRecord, '8000::/1': nestedRecord }),
        ),
      )
      expect(locate(address)).toEqual({})
      expect(locate('1.2.3.4')).not.toEqual({})
    },
  )

  it.each(['', 'unknown', '1.2.3', '1.2.3.4.5', '1.2.3.4:80', '[::1]', 'example.com', '\ud800', '8'.repeat(100_000)])(
    'of %.30j is unknown',
    async (address) => {
      const { locate } = await load(undefined)
      expect(locate(address)).toEqual({})
    },
  )

  it.each<[string, MmdbValue, object]>([
    ['nested fields', nestedRecord, { country: 'US', region: 'US-CA', city: 'Los Angeles, US' }],
    [
      'a region without a code',
      { ...nestedRecord, subdivisions: [{ names: { en: 'California' } }] },
      { country: 'US', region: 'California, US', city: 'Los Angeles, US' },
    ],
    [
      'flat fields',
      { country_code: 'de', state1: 'Bavaria', state2: '', city: 'München', latitude: 48.1 },
      { country: 'DE', region: 'Bavaria, DE', city: 'München, DE' },
    ],
    [
      'flat fields and a region code',
      { country: 'DE', region: 'Bavaria', region_code: 'BY', city: 'Munich' },
      { country: 'DE', region: 'DE-BY', city: 'Munich, DE' },
    ],
    ['only a country', { country: { iso_code: 'CH' } }, { country: 'CH' }],
    [
      'a city whose country only the bundled database has',
      { city: 'Springfield' },
      { country: 'US', city: 'Springfield, US' },
    ],
    ['no fields', {}, { country: 'US' }],
    ['a string instead of fields', 'US', { country: 'US' }],
    [
      'fields of wrong types',
      { country: { iso_code: 7 }, subdivisions: 'x', city: [], region: '\0' },
      { country: 'US' },
    ],
    [
      'invalid codes',
      { country_code: 'Germany', region_code: 'a/b', city: 'a\nb' },
      { country: 'US', city: 'a b, US' },
    ],
    ['long names', { country_code: 'DE', city: 'x'.repeat(200) }, { country: 'DE', city: `${'x'.repeat(100)}, DE` }],
  ])('is read from a record with %s', async (_, record, location) => {
    const { locate, logLines } = await load(
      writeDatabaseFile(writeMmdb({ '8.8.8.0/24': record, '2001:4860::/32': record })),
    )
    expect(locate('8.8.8.8')).toEqual(location)
    expect(locate('::ffff:808:808')).toEqual(location)
    expect(locate('2001:4860::1')).toEqual(location)
    expect(locate('193.0.6.139')).toEqual({ country: 'NL' })
    expect(logLines).toEqual([])
  })

  it('comes from the bundled database for IPv6 when the configured one has only IPv4', async () => {
    const { locate } = await load(
      writeDatabaseFile(writeMmdb({ '8.8.8.0/24': nestedRecord, '32.0.0.0/8': nestedRecord }, { ipVersion: 4 })),
    )
    expect(locate('8.8.8.8')).toMatchObject({ city: 'Los Angeles, US' })
    expect(locate('2001:4860::1')).toEqual({ country: 'US' })
  })

  it.each<[string, () => string]>([
    ['does not exist', () => join(folder, 'nothing.mmdb')],
    ['is a folder', () => folder],
    ['is empty', () => writeDatabaseFile(Buffer.alloc(0))],
    ['is an HTML page', () => writeDatabaseFile(Buffer.from('<html>Please sign in</html>'.repeat(1_000)))],
    ['is truncated', () => writeDatabaseFile(writeMmdb({ '8.8.8.0/24': nestedRecord }).subarray(0, -100))],
  ])('falls back to the bundled database, with one warning, when BELFRY_GEO_DB %s', async (_, path) => {
    const { locate, logLines } = await load(path())
    expect(locate('8.8.8.8')).toEqual({ country: 'US' })
    expect(locate('8.8.8.8')).toEqual({ country: 'US' })
    expect(logLines).toHaveLength(1)
    expect(JSON.parse(logLines[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: "Can't read BELFRY_GEO_DB; using the bundled database, which has no regions and cities",
      reason: expect.stringContaining(folder),
    })
  })

  it('falls back to the bundled database for a damaged record', async () => {
    const bytes = writeMmdb({ '8.8.8.0/24': nestedRecord })
    const { locate } = await load(
      writeDatabaseFile(bytes.fill(0xff, bytes.indexOf('country'), bytes.indexOf('MaxMind.com') - 3)),
    )
    expect(locate('8.8.8.8')).toEqual({ country: 'US' })
  })
})
