/** What statistics need of this machine. */
import type { Config } from '../../config.ts'
import { openPlaces } from '../../traffic/collect/place-database.ts'
import { broken, type Finding, ok } from './finding.ts'

export async function checkPlaces({ geoDb }: Config): Promise<Finding[]> {
  if (geoDb === undefined) return [ok('Visitors are known by their country. Cities need a database (BELFRY_GEO_DB).')]
  try {
    const { about } = await openPlaces(geoDb)
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
