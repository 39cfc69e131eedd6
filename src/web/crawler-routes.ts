/** Files for crawlers: robots.txt (RFC 9309) and security.txt (RFC 9116). */
import { publicFile } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { urlPrefixOf } from '../http/url-prefix.ts'
import { notFound } from '../lib/problem.ts'
import { DAY_MS } from '../shared/time.ts'
import { applicationPaths } from './page-routes.ts'

const SECURITY_PATH = '/.well-known/security.txt'
/** RFC 9116 recommends that the file expires in less than a year. */
const SECURITY_LIFETIME_DAYS = 180

/**
 * Public statistics pages can be indexed. They load their data from the API, so crawlers may read that part of the API. Rules match the
 * beginning of a path, and `$` matches its end: `/keys` alone would also match the page of the website keys.example.com.
 */
function formatRobots(prefix: string): string {
  const firstSegments = new Set(applicationPaths.map((path) => path.split('/')[1] ?? '').filter(Boolean))
  const signedInRules = [...firstSegments, 'setup'].flatMap((segment) => [
    `Disallow: ${prefix}/${segment}$`,
    `Disallow: ${prefix}/${segment}?`,
    `Disallow: ${prefix}/${segment}/`,
  ])
  const rules = [
    `Disallow: ${prefix}/api/`,
    `Allow: ${prefix}/api/v1/stats/`,
    ...signedInRules,
    `Disallow: ${prefix}/*/settings$`,
  ]
  return `User-agent: *\n${rules.join('\n')}\n`
}

function formatSecurity(contact: string, url: string | undefined, now: Date): string {
  // The time is rounded down to a day, so that all responses of one day are the same.
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(today + SECURITY_LIFETIME_DAYS * DAY_MS).toISOString()}`,
    ...(url === undefined ? [] : [`Canonical: ${url}${SECURITY_PATH}`]),
  ]
  return `${lines.join('\n')}\n`
}

export function crawlerRoutes(app: App, { clock, config }: RouteDeps): void {
  const undocumentedRoute = { config: { access: publicFile }, schema: { hide: true } }
  const headers = { 'cache-control': 'public, max-age=3600' }

  app.get('/robots.txt', undocumentedRoute, async (_request, reply) =>
    reply
      .headers(headers)
      .type('text/plain; charset=utf-8')
      .send(formatRobots(urlPrefixOf(config)) as never),
  )

  app.get(SECURITY_PATH, undocumentedRoute, async (_request, reply) => {
    if (config.securityContact === undefined) throw notFound()
    return reply
      .headers(headers)
      .type('text/plain; charset=utf-8')
      .send(formatSecurity(config.securityContact, config.url, clock.now()) as never)
  })
}
