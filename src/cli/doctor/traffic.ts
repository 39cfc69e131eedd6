/** Checks traffic analytics. */
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { formatCount } from '../../lib/format.ts'
import { openGeoDatabase } from '../../traffic/collect/geolocation/database.ts'
import { type DoctorDiagnosis, failure, ok, warning } from './diagnosis.ts'
import { readTrafficFacts } from './store.ts'

export async function checkGeolocation({ geoDb }: Config): Promise<DoctorDiagnosis[]> {
  if (geoDb === undefined) return [ok('Geolocation: by country. Cities need a city database (BELFRY_GEO_DB).')]
  try {
    const { about } = await openGeoDatabase(geoDb)
    return [ok(`Geolocation: by city, from ${geoDb} (${about}).`)]
  } catch (error) {
    return [
      failure(
        `Geolocation: can't read BELFRY_GEO_DB. ${(error as Error).message}.`,
        'Set it to a file in MMDB format. Until then visitors are located by country.',
      ),
    ]
  }
}

/** Reports events that could not be rolled up. Returns an empty list if there are none. */
export async function checkFailedEvents(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { failedEventCount = 0 } = (await readTrafficFacts(client)) ?? {}
  if (failedEventCount === 0) return []
  const eventsText = failedEventCount === 1 ? '1 event' : `${formatCount(failedEventCount)} events`
  return [
    warning(
      `Statistics: ${eventsText} could not be rolled up and are missing.`,
      'Every start retries them. If they remain, check event_inbox.fault and update Belfry.',
    ),
  ]
}
