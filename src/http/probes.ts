/** For orchestrators and Prometheus. */
import { Type } from 'typebox'
import { notFound, Problem, unavailable } from '../lib/problem.ts'
import { stringEnum } from '../lib/schemas.ts'
import { isSameSecret } from '../lib/token.ts'
import { findSchemaVersion } from '../storage/migrations.ts'
import { probe } from './access.ts'
import type { App } from './app-type.ts'
import type { RouteDeps } from './route-deps.ts'

const Status = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })

const Readiness = Type.Object(
  {
    status: stringEnum(['ok', 'degraded'], { description: 'degraded: requests are answered, but checks do not count' }),
    reasons: Type.Optional(
      Type.Array(Type.String(), { description: 'Which of our own faults keeps checks from counting' }),
    ),
  },
  { additionalProperties: false },
)

export function probeRoutes(
  app: App,
  { config, db, metrics }: RouteDeps,
  degradedReasons: () => readonly string[],
): void {
  app.get(
    '/healthz',
    { config: { access: probe }, schema: { tags: ['Server'], summary: 'Alive', response: { 200: Status } } },
    () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { access: probe },
      schema: {
        tags: ['Server'],
        summary: 'Ready: the database answers and is migrated',
        response: { 200: Readiness },
      },
    },
    async () => {
      // Migrations ran before this server listened; the table is there for as long as the database is ours.
      if ((await findSchemaVersion(db)) === 0) throw unavailable('The database has not been migrated.')
      const reasons = [...degradedReasons()]
      return reasons.length === 0 ? { status: 'ok' as const } : { status: 'degraded' as const, reasons }
    },
  )

  app.get('/metrics', { config: { access: probe }, schema: { hide: true } }, async (request, reply) => {
    if (config.metricsToken === undefined) throw notFound()
    const given = request.headers.authorization?.replace(/^Bearer +/i, '') ?? ''
    if (!isSameSecret(given, config.metricsToken))
      throw new Problem('unauthenticated', 'Send the token of BELFRY_METRICS_TOKEN.')
    const { type, text } = await metrics.write()
    return reply.type(type).send(text as never)
  })
}
