import { sessionOnly } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { sessionOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { idParams } from '../../lib/schemas.ts'
import { getWebsite } from '../../websites/websites.ts'
import { hashClientAddress } from './arrival-recorder.ts'
import { awaitFirstVisit, readArrivals } from './arrival-store.ts'
import { chooseArrivals } from './arrivals.ts'
import { ArrivalList } from './schema.ts'

const description = `Made for the page that waits for the first visit. From the first request until an hour after the last one, Belfry records why page views are not counted, or are counted unexpectedly: page views that name this website, that come from a page of it, or that come from your IP address and name an unknown website.

Lists at most five lines: those from your IP address first, then the newest. They expire after an hour. Belfry stores no visitor's address for this, only an HMAC of yours.`

export function arrivalRoutes(app: App, { clock, db, secret }: RouteDeps): void {
  app.get(
    '/api/v1/websites/:id/arrivals',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Websites'],
        operationId: 'getArrivals',
        summary: 'Get the reasons why the first visit is missing',
        description,
        params: idParams,
        response: { 200: ArrivalList },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { teamId } = caller
      const now = clock.now()
      const address = hashClientAddress(secret, request.ip)
      const rows = await db.as(caller).transaction(async (q) => {
        const { id: websiteId } = await getWebsite(q, request.params.id)
        await awaitFirstVisit(q, { teamId, websiteId, address, now })
        return readArrivals(q, websiteId, now)
      })
      return { data: chooseArrivals(rows.map((row) => ({ ...row, last_at: row.last_at.toISOString() }))) }
    },
  )
}
