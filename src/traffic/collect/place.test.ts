import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MmdbValue, writeMmdb } from '../../../tests/support/mmdb.ts'
import { createLog } from '../../lib/log.ts'
import { loadPlaces } from './place.ts'

const nested = {
  country: { iso_code: 'US', names: { de: 'USA', en: 'United States' } },
  subdivisions: [{ iso_code: 'CA', names: { en: 'California' } }],
  city: { geoname_id: 5_368_361, names: { de: 'Los Angeles', en: 'Los Angeles' } },
  location: { latitude: -34.05, accuracy_radius: 20 },
  traits: { is_anycast: false },
}

describe('the place of an address', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'belfry-places-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function write(bytes: Buffer): string {
    const path = join(folder, `${crypto.randomUUID()}.mmdb`)
    writeFileSync(path, bytes)
    return path
  }

  async function load(geoDb: string | undefined) {
    const lines: string[] = []
    const placeOf = await loadPlaces(geoDb, createLog('info', { write: (line: string) => lines.push(line) }))
    return { placeOf, lines }
  }

  it.each([
    ['8.8.8.8', { country: 'US' }],
    ['::ffff:8.8.8.8', { country: 'US' }],
    ['2001:4860:4860::8888', { country: 'US' }],
    ['2001:4860:4860::8888%eth0', { country: 'US' }],
    ['193.0.6.139', { country: 'NL' }],
  ])('%s is a country by the database that comes along', async (address, place) => {
    const { placeOf, lines } = await load(undefined)
    expect(placeOf(address)).toEqual(place)
    expect(lines).toEqual([])
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
  ])('%s is nowhere, whatever a database says', async (address) => {
    const { placeOf } = await load(write(writeMmdb({ '0.0.0.0/1': nested, '128.0.0.0/1': nested, '8000::/1': nested })))
    expect(placeOf(address)).toEqual({})
    expect(placeOf('1.2.3.4')).not.toEqual({})
  })

  it.each(['', 'unknown', '1.2.3', '1.2.3.4.5', '1.2.3.4:80', '[::1]', 'example.com', '\ud800', '8'.repeat(100_000)])(
    '%.30j is nowhere',
    async (address) => {
      const { placeOf } = await load(undefined)
      expect(placeOf(address)).toEqual({})
    },
  )

  it.each<[string, MmdbValue, object]>([
    ['the nested form', nested, { country: 'US', region: 'US-CA', city: 'Los Angeles, US' }],
    [
      'a region without a code',
      { ...nested, subdivisions: [{ names: { en: 'California' } }] },
      { country: 'US', region: 'California, US', city: 'Los Angeles, US' },
    ],
    [
      'the flat form',
      { country_code: 'de', state1: 'Bavaria', state2: '', city: 'München', latitude: 48.1 },
      { country: 'DE', region: 'Bavaria, DE', city: 'München, DE' },
    ],
    [
      'the flat form with codes',
      { country: 'DE', region: 'Bavaria', region_code: 'BY', city: 'Munich' },
      { country: 'DE', region: 'DE-BY', city: 'Munich, DE' },
    ],
    ['a country only', { country: { iso_code: 'CH' } }, { country: 'CH' }],
    [
      'a city, whose country the bundled database knows',
      { city: 'Springfield' },
      { country: 'US', city: 'Springfield, US' },
    ],
    ['nothing', {}, { country: 'US' }],
    ['a text', 'US', { country: 'US' }],
    ['nonsense', { country: { iso_code: 7 }, subdivisions: 'x', city: [], region: '\0' }, { country: 'US' }],
    [
      'what is no code',
      { country_code: 'Germany', region_code: 'a/b', city: 'a\nb' },
      { country: 'US', city: 'a b, US' },
    ],
    ['long names', { country_code: 'DE', city: 'x'.repeat(200) }, { country: 'DE', city: `${'x'.repeat(100)}, DE` }],
  ])('is read from %s', async (_, record, place) => {
    const { placeOf, lines } = await load(write(writeMmdb({ '8.8.8.0/24': record, '2001:4860::/32': record })))
    expect(placeOf('8.8.8.8')).toEqual(place)
    expect(placeOf('::ffff:808:808')).toEqual(place)
    expect(placeOf('2001:4860::1')).toEqual(place)
    expect(placeOf('193.0.6.139')).toEqual({ country: 'NL' })
    expect(lines).toEqual([])
  })

  it('is read from a database of IPv4 alone, and IPv6 from the bundled one', async () => {
    const { placeOf } = await load(write(writeMmdb({ '8.8.8.0/24': nested, '32.0.0.0/8': nested }, { ipVersion: 4 })))
    expect(placeOf('8.8.8.8')).toMatchObject({ city: 'Los Angeles, US' })
    expect(placeOf('2001:4860::1')).toEqual({ country: 'US' })
  })

  it.each<[string, () => string]>([
    ['is not there', () => join(folder, 'nothing.mmdb')],
    ['is a folder', () => folder],
    ['is empty', () => write(Buffer.alloc(0))],
    ['is something else', () => write(Buffer.from('<html>Please sign in</html>'.repeat(1_000)))],
    ['was cut off', () => write(writeMmdb({ '8.8.8.0/24': nested }).subarray(0, -100))],
  ])('is known though the database of the operator %s, who is told once', async (_, path) => {
    const { placeOf, lines } = await load(path())
    expect(placeOf('8.8.8.8')).toEqual({ country: 'US' })
    expect(placeOf('8.8.8.8')).toEqual({ country: 'US' })
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: 'BELFRY_GEO_DB cannot be read; the bundled database serves, without regions and cities',
      reason: expect.stringContaining(folder),
    })
  })

  it('is a country where the database is damaged', async () => {
    const bytes = writeMmdb({ '8.8.8.0/24': nested })
    const { placeOf } = await load(write(bytes.fill(0xff, bytes.indexOf('country'), bytes.indexOf('MaxMind.com') - 3)))
    expect(placeOf('8.8.8.8')).toEqual({ country: 'US' })
  })
})
