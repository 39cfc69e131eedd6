import { sessionOnly } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { sessionOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { invalid, rateLimited } from '../../lib/problem.ts'
import { deletedResponse, toDeleted } from '../../lib/schemas.ts'
import { findTimeZone } from '../../lib/time-zone.ts'
import { Type } from '../../lib/type.ts'
import { CreateWebsite, WebsiteResponse } from '../../websites/schema.ts'
import { toWebsiteRecord } from '../../websites/websites.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { SampleData } from './sample-data.ts'

const tags = ['Websites']
/** Creating sample data keeps the database busy for a few seconds. */
const LIMIT = { count: 10, windowSeconds: 3_600 }

const SampleDataBody = Type.Object({ time_zone: CreateWebsite.properties.time_zone }, { additionalProperties: false })

export function sampleDataRoutes(app: App, deps: RouteDeps & { rollup: Rollup }): void {
  const { config, counter } = deps
  const sampleData = new SampleData(deps)

  function limitRate(teamId: number): void {
    const { allowed, retryAfterSeconds } = counter.take(`sample:user:${teamId}`, LIMIT)
    if (allowed) return
    throw rateLimited(`Sample data can be created ${LIMIT.count} times an hour. Try again later.`, retryAfterSeconds)
  }

  app.put(
    '/api/sample-data',
    {
      config: { access: sessionOnly },
      schema: {
        tags,
        operationId: 'createSampleData',
        summary: 'Create the sample website, unless it exists',
        description:
          'Creates a website with 90 days of generated traffic and a paused monitor with generated history, to explore the pages. A team has at most one sample website. The website accepts no events, and its monitor checks nothing.',
        body: SampleDataBody,
        response: { 200: WebsiteResponse },
        // Another request can delete the sample website in the meantime.
        errors: [404],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { time_zone: name = config.timeZone } = request.body
      const timeZone = findTimeZone(name)
      if (timeZone === undefined)
        throw invalid({ time_zone: ['`time_zone` must be a time zone such as Europe/Berlin.'] })
      limitRate(caller.teamId)
      return { data: toWebsiteRecord(await sampleData.create(caller, timeZone)) }
    },
  )

  app.delete(
    '/api/sample-data',
    {
      config: { access: sessionOnly },
      schema: {
        tags,
        operationId: 'deleteSampleData',
        summary: 'Delete the sample website and its monitor',
        response: { 200: deletedResponse('website') },
        errors: [404],
      },
    },
    async (request) => toDeleted('website', await sampleData.remove(sessionOf(request))),
  )
}
