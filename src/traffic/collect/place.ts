/** Where an address is. Nothing of an address is remembered or logged. */
import type { Logger } from 'pino'
import { bundledPath, openPlaces, type PlaceDatabase } from './place-database.ts'
import { type PlaceRecord, readRecord } from './place-record.ts'
import { plainAddress } from './plain-address.ts'

export interface Place {
  country?: string
  region?: string
  city?: string
}

/** Loaded when the first event comes. Events are not lost for want of a database. */
export async function loadPlaces(geoDb: string | undefined, log: Logger): Promise<(address: string) => Place> {
  const [bundled, own] = await Promise.all([
    open(bundledPath(), log, 'The bundled geo database cannot be read; countries stay unknown'),
    geoDb && open(geoDb, log, 'BELFRY_GEO_DB cannot be read; the bundled database serves, without regions and cities'),
  ])
  const databases = [own, bundled].filter((database) => typeof database === 'object')
  return (address) => {
    const plain = plainAddress(address)
    if (plain === undefined || notPublic.test(plain.text)) return {}
    let record: PlaceRecord = {}
    for (const database of databases) {
      if (record.country === undefined) record = { ...readRecord(database.find(plain)), ...record }
    }
    return spell(record)
  }
}

async function open(path: string, log: Logger, otherwise: string): Promise<PlaceDatabase | undefined> {
  try {
    return await openPlaces(path)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, otherwise)
    return undefined
  }
}

/** Nowhere, whatever a database says. */
const notPublic =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(::1?$|f[cde])/i

/** Many regions and cities share a name, so their country goes with it. */
function spell({ country, regionCode, region, city }: PlaceRecord): Place {
  const within = country === undefined ? '' : `, ${country}`
  const place: Place = {}
  if (country !== undefined) place.country = country
  if (country !== undefined && regionCode !== undefined) place.region = `${country}-${regionCode}`
  else if (region !== undefined) place.region = region + within
  if (city !== undefined) place.city = city + within
  return place
}
