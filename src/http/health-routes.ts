/** Health checks for orchestrators, and metrics for Prometheus. */
import { notFound, Problem, unavailable } from '../lib/problem.ts'
import { stringEnum } from '../lib/schemas.ts'
import { isSameSecret } from '../lib/token.ts'
import { Type } from '../lib/type.ts'
import { findSchemaVersion } from '../storage/migrations.ts'
import { healthCheck } from './access.ts'
import type { App } from './app-type.ts'
import { logAvailable } from './problem-log.ts'
import type { RouteDeps } from './route-deps.ts'

const Status = Type.Object({ status: Type.Literal('ok') }, { additionalProperties: false })

const Readiness = Type.Object(
  {
    status: stringEnum(['ok', 'degraded'], {
      description:
        '`degraded`: requests work, but checks may have no effect, or something needs the attention of the operator',
    }),
    reasons: Type.Optional(Type.Array(Type.String(), { description: 'What is wrong, one sentence each' })),
  },
  { additionalProperties: false },
)

export function healthRoutes(
  app: App,
  { config, db, log, metrics }: RouteDeps,
  {
    findUnreadyReason,
    listDegradedReasons,
    findDatabaseProblem = () => undefined,
  }: {
    findUnreadyReason(): string | undefined
    listDegradedReasons(): readonly string[]
    /** Returns what is known about the cause if the database is unavailable. */
    findDatabaseProblem?(): string | undefined
  },
): void {
  app.get(
    '/healthz',
    {
      config: { access: healthCheck },
      schema: {
        tags: ['Server'],
        operationId: 'getLiveness',
        summary: 'Liveness check',
        description: 'Succeeds while the process can respond, even if the database is unavailable.',
        response: { 200: Status },
      },
    },
    () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { access: healthCheck },
      schema: {
        tags: ['Server'],
        operationId: 'getReadiness',
        summary: 'Readiness check',
        description:
          'Succeeds if the database is reachable, writable and migrated, and the server is neither starting nor stopping. Load balancers should send requests only to servers that are ready.',
        response: { 200: Readiness },
      },
    },
    async () => {
      const unreadyReason = findUnreadyReason()
      if (unreadyReason !== undefined) throw unavailable(unreadyReason)
      await db.requireWritable().catch((error) => {
        const problem = findDatabaseProblem()
        throw problem === undefined ? error : unavailable(problem, error)
      })
      // Migrations run before the server listens, so version 0 means that the database was replaced.
      if ((await findSchemaVersion(db)) === 0) throw unavailable('The database has no tables.')
      logAvailable(log)
      const reasons = [...listDegradedReasons()]
      return reasons.length === 0 ? { status: 'ok' as const } : { status: 'degraded' as const, reasons }
    },
  )

  app.get('/metrics', { config: { access: healthCheck }, schema: { hide: true } }, async (request, reply) => {
    if (config.metricsToken === undefined) throw notFound()
    const token = request.headers.authorization?.replace(/^Bearer +/i, '') ?? ''
    if (!isSameSecret(token, config.metricsToken))
      throw new Problem('unauthenticated', 'Send the value of BELFRY_METRICS_TOKEN as "Authorization: Bearer …".')
    const { type, text } = await metrics.write()
    return reply.type(type).send(text as never)
  })
}
