/** Where an address is. Nothing is remembered of any address, and none is logged. */
import type { Logger } from 'pino'
import { bundledPath, openPlaces, type PlaceDatabase } from './place-database.ts'
import { type PlaceRecord, readRecord } from './place-record.ts'
import { plainAddress } from './plain-address.ts'

export interface Place {
  country?: string
  region?: string
  city?: string
}

/** Loaded when the first event comes. A database of the operator's that cannot be read is no reason to lose events. */
export async function loadPlaces(geoDb: string | undefined, log: Logger): Promise<(address: string) => Place> {
  const [bundled, own] = await Promise.all([
    open(bundledPath(), log),
    geoDb === undefined ? undefined : open(geoDb, log),
  ])
  return (address) => {
    const plain = plainAddress(address)
    if (plain === undefined || isPrivate.test(plain.text)) return {}
    const record = readRecord(own?.find(plain))
    return spell(record.country === undefined ? { ...readRecord(bundled?.find(plain)), ...record } : record)
  }
}

async function open(path: string, log: Logger): Promise<PlaceDatabase | undefined> {
  try {
    return await openPlaces(path)
  } catch (error) {
    log.warn({ path, reason: (error as Error).message }, 'The geo database cannot be read')
    return undefined
  }
}

const isPrivate =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(::1?$|f[cde])/i

/** Many cities share a name, so their country goes with them. */
function spell({ country, regionCode, region, city }: PlaceRecord): Place {
  const within = country === undefined ? '' : `, ${country}`
  const place: Place = {}
  if (country !== undefined) place.country = country
  if (country !== undefined && regionCode !== undefined) place.region = `${country}-${regionCode}`
  else if (region !== undefined) place.region = region + within
  if (city !== undefined) place.city = city + within
  return place
}
