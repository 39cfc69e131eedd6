/** Verifies that a website has its tracking snippet: fetches its home page, and says what it found. */
import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { getBaseUrl } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { invalid, rateLimited } from '../../lib/problem.ts'
import { idParams } from '../../lib/schemas.ts'
import { getWebsite } from '../websites.ts'
import type { FetchHomePage } from './fetch-home-page.ts'
import { judgePage } from './judge-page.ts'
import { VerificationResponse } from './schema.ts'

const LIMIT = { count: 10, windowSeconds: 60 }
/** Each reads up to half a megabyte into memory. A user has only one at a time. */
const MAX_CONCURRENT_FETCHES = 8

export function verifyRoutes(app: App, deps: RouteDeps & { fetchHomePage: FetchHomePage }): void {
  const { clock, config, counter, db, fetchHomePage } = deps
  const limiter = new ConcurrencyLimiter(MAX_CONCURRENT_FETCHES)

  app.post(
    '/api/v1/websites/:id/verify',
    {
      config: { access: requireScopes('websites:write'), right: 'edit shared' },
      schema: {
        tags: ['Websites'],
        operationId: 'verifyWebsite',
        summary: 'Verify that a website has its tracking snippet',
        description:
          "Fetches the website's home page and says what it found: the snippet, a snippet for another domain or server, or what keeps it from working, such as a Content-Security-Policy. Takes up to 10 seconds. At most 10 verifications a minute.",
        params: idParams,
        response: { 200: VerificationResponse },
        errors: [422],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { domain, is_sample: isSample } = await getWebsite(db.as(caller), request.params.id)
      if (isSample) throw invalid({ id: ["The sample shop has no home page, so its installation can't be verified."] })
      const { allowed, retryAfterSeconds } = counter.take(`verify:user:${caller.teamId}`, LIMIT)
      if (!allowed) {
        throw rateLimited(
          `Websites can be verified ${LIMIT.count} times a minute. Try again in ${retryAfterSeconds} s.`,
          retryAfterSeconds,
        )
      }
      const result = await limiter.run(caller.teamId, () => fetchHomePage(domain))
      const verification = judgePage(result, {
        domain,
        baseUrl: getBaseUrl(config, request),
        hasPublicUrl: config.url !== undefined,
      })
      return { data: { ...verification, verified_at: clock.now().toISOString() } }
    },
  )
}
