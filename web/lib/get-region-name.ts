/** English names of regions. The table has 5,400 names, so it is loaded when a region is shown for the first time. */
/** For each country, its codes separated by spaces, and its names in the same order, separated by vertical bars. */
type RegionNames = Record<string, string[] | undefined>

let names: RegionNames | undefined
let loadedNames: Promise<RegionNames> | undefined

/**
 * Returns the name of a region with an ISO 3166-2 code: `DE-BY` is Bavaria. Unknown codes stay as they are, and so do
 * other values, such as `Provence, FR` from a database without codes. The result is a promise until the table is
 * loaded.
 */
export function getRegionName(value: string): string | Promise<string> {
  if (!/^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(value)) return value
  if (names !== undefined) return findName(names, value)
  loadedNames ??= loadNames()
  // If the table can't be loaded, the region is shown with its code.
  return loadedNames.then((loaded) => findName(loaded, value)).catch(() => value)
}

async function loadNames(): Promise<RegionNames> {
  try {
    names = (await import('./region-names.json', { with: { type: 'json' } })).default
    return names
  } catch (error) {
    // The next call tries again.
    loadedNames = undefined
    throw error
  }
}

function findName(namesByCountry: RegionNames, code: string): string {
  const [codes = '', regionNames = ''] = namesByCountry[code.slice(0, 2)] ?? []
  const index = codes.split(' ').indexOf(code.slice(3))
  return regionNames.split('|')[index] ?? code
}
