/** What a record of a geo database says, whichever of the usual forms it has. */

export interface PlaceRecord {
  /** ISO 3166-1, in upper case. */
  country?: string
  /** The part of an ISO 3166-2 code behind the country. */
  regionCode?: string
  region?: string
  city?: string
}

/** Either nested, as MaxMind and DB-IP have it, or flat, as ip-location-db and IPinfo do. */
export function readRecord(record: unknown): PlaceRecord {
  const country = pick(record, ['country', 'iso_code'], ['country_code'], ['country'])?.toUpperCase()
  const regionCode = pick(record, ['subdivisions', '0', 'iso_code'], ['region_code'])?.toUpperCase()
  const region = pick(
    record,
    ['subdivisions', '0', 'names', 'en'],
    ['region', 'name'],
    ['region'],
    ['state1'],
    ['state'],
  )
  const city = pick(record, ['city', 'names', 'en'], ['city', 'name'], ['city'])
  return {
    ...(country !== undefined && /^[A-Z]{2}$/.test(country) ? { country } : {}),
    ...(regionCode !== undefined && /^[A-Z0-9]{1,3}$/.test(regionCode) ? { regionCode } : {}),
    ...(region === undefined ? {} : { region }),
    ...(city === undefined ? {} : { city }),
  }
}

/** The first of these paths at whose end there is a text. */
function pick(record: unknown, ...paths: readonly string[][]): string | undefined {
  for (const path of paths) {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), record)
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
