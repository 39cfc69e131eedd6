/** What statistics need of this machine, and what they left undone. */
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { formatCount } from '../../lib/numbers.ts'
import { openGeoDatabase } from '../../traffic/collect/geolocation/geo-database.ts'
import { advice, broken, type Finding, ok } from './finding.ts'
import { readTrafficFacts } from './store.ts'

export async function checkPlaces({ geoDb }: Config): Promise<Finding[]> {
  if (geoDb === undefined) return [ok('Visitors are known by their country. Cities need a database (BELFRY_GEO_DB).')]
  try {
    const { about } = await openGeoDatabase(geoDb)
    return [ok(`Visitors are known by their city, from ${geoDb} (${about}).`)]
  } catch (error) {
    return [
      broken(
        `BELFRY_GEO_DB cannot be read: ${(error as Error).message}.`,
        'Set it to a file in the format MMDB; until then visitors are known by their country.',
      ),
    ]
  }
}

/** Nothing to say where nothing is amiss. */
export async function checkTraffic(client: ClientBase): Promise<Finding[]> {
  const { asideEvents = 0 } = (await readTrafficFacts(client)) ?? {}
  if (asideEvents === 0) return []
  const what = asideEvents === 1 ? 'An event was' : `${formatCount(asideEvents)} events were`
  return [
    advice(
      `${what} put aside: adding up failed, and statistics are without.`,
      'They are tried again at every start; if they stay, look into event_inbox.fault and update Belfry.',
    ),
  ]
}
