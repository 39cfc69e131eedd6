import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { getRegionName } from './get-region-name.ts'

it('getRegionName converts codes of regions to names, and keeps everything else', async () => {
  expect(getRegionName('Provence, FR')).toBe('Provence, FR')
  expect(getRegionName('DE-BY')).toBeInstanceOf(Promise)
  expect(await Promise.all(['DE-BY', 'US-CA', 'GB-ENG', 'JP-13', 'DE-XX', 'ZZ-1'].map(getRegionName))).toEqual([
    'Bavaria',
    'California',
    'England',
    'Tokyo',
    'DE-XX',
    'ZZ-1',
  ])
  // Now that the table is loaded, names are known immediately.
  expect(getRegionName('AT-9')).toBe('Vienna')
})

it('the table of regions has the name of every region in the package', async () => {
  const path = createRequire(import.meta.url).resolve('cldr-subdivisions-full/subdivisions/en/en.json')
  const { subdivisions } = JSON.parse(readFileSync(path, 'utf8'))
  const names: [string, string][] = Object.entries(subdivisions.localeDisplayNames.subdivisions)
  expect(names.length).toBeGreaterThan(5_000)
  await getRegionName('DE-BY')
  const isWrong = ([id, name]: [string, string]) =>
    getRegionName(`${id.slice(0, 2)}-${id.slice(2)}`.toUpperCase()) !== name
  expect(names.filter(isWrong)).toEqual([])
})
