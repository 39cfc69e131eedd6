/** English names of regions. The table has 5,400 names, so it is loaded when a region is shown for the first time. */
/** Names by ISO 3166-2 code. */
type RegionNames = ReadonlyMap<string, string>

let names: RegionNames | undefined
let loadedNames: Promise<RegionNames> | undefined

/**
 * Returns the name of a region with an ISO 3166-2 code: `DE-BY` is Bavaria. Unknown codes stay as they are, and so do
 * other values, such as `Provence, FR` from a database without codes. The result is a promise until the table is
 * loaded.
 */
export function getRegionName(value: string): string | Promise<string> {
  if (!/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value)) return value
  if (names !== undefined) return names.get(value) ?? value
  loadedNames ??= loadNames()
  // If the table can't be loaded, the region is shown with its code.
  return loadedNames.then((loaded) => loaded.get(value) ?? value).catch(() => value)
}

async function loadNames(): Promise<RegionNames> {
  try {
    names = decodeNames((await import('./region-names.json', { with: { type: 'json' } })).default)
    return names
  } catch (error) {
    // The next call tries again.
    loadedNames = undefined
    throw error
  }
}

/**
 * `codes` has each country with the codes of its regions, such as `AT 1 2 3|BE BRU VLG WAL`, and `names` has their names in the same
 * order.
 */
function decodeNames({ codes, names }: { codes: string; names: string }): RegionNames {
  const regionCodes = codes.split('|').flatMap((group) => {
    const [country, ...regions] = group.split(' ')
    return regions.map((region) => `${country}-${region}`)
  })
  const regionNames = names.split('|')
  return new Map(regionCodes.map((code, index) => [code, regionNames[index] ?? code]))
}
