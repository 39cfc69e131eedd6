import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { answerCreation } from '../http/creation.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deleted, deletedOf, idPath } from '../lib/schemas.ts'
import type { Courier } from './courier.ts'
import { changeProvider, createProvider, getProvider, removeProvider } from './providers.ts'
import { recordOf } from './record.ts'
import { CreateProvider, ProviderAnswer, ProviderList, TestAnswer, UpdateProvider } from './schema.ts'
import { listProviders } from './store.ts'
import { sendTest } from './test-notification.ts'

const tags = ['Providers']
const reading = { access: caller('providers:read') }
const writing = { access: caller('providers:write') }

export function providerRoutes(app: App, services: RouteDeps & { courier: Courier }): void {
  const { config, db, secret } = services
  const { all, ranges } = config.privateTargets
  const means = { ...services, rules: { allowsHttp: all || ranges.length > 0 } }

  app.get(
    '/api/providers',
    { config: reading, schema: { tags, summary: 'List providers, newest first', response: { 200: ProviderList } } },
    async (request) => {
      const rows = await listProviders(db.as(callerOf(request)))
      return { data: rows.map((row) => recordOf(row, secret)), meta: { total: rows.length } }
    },
  )

  app.post(
    '/api/providers',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Create a provider',
        description:
          'With the fields of its type. Secrets are kept encrypted, and only their last four characters are returned.',
        body: CreateProvider,
        response: { 201: ProviderAnswer },
        repeatable: true,
      },
    },
    async (request, reply) =>
      answerCreation(services, request, reply, async (q) => {
        const row = await createProvider(q, callerOf(request).userId, request.body as CreateProvider, means)
        return { path: `/api/providers/${row.id}`, answer: { data: recordOf(row, secret) } }
      }),
  )

  app.get(
    '/api/providers/:id',
    {
      config: reading,
      schema: { tags, summary: 'Show a provider', params: idPath, response: { 200: ProviderAnswer } },
    },
    async (request) => ({ data: recordOf(await getProvider(db.as(callerOf(request)), request.params.id), secret) }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/providers/:id',
      config: writing,
      schema: {
        tags,
        summary: `Update a provider${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'What is not sent stays as it is. The type cannot be changed.',
        params: idPath,
        body: UpdateProvider,
        response: { 200: ProviderAnswer },
      },
      handler: async (request) => {
        const { id } = request.params
        const tenant = db.as(callerOf(request))
        const input = request.body as UpdateProvider
        const row = await tenant.transaction((q) => changeProvider(q, id, input, means))
        return { data: recordOf(row, secret) }
      },
    })
  }

  app.delete(
    '/api/providers/:id',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Delete a provider with its assignments',
        params: idPath,
        response: { 200: deletedOf('provider') },
      },
    },
    async (request) => {
      const { id } = request.params
      await db.as(callerOf(request)).transaction((q) => removeProvider(q, id))
      return deleted('provider', id)
    },
  )

  app.post(
    '/api/providers/:id/test',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Send a test notification',
        description:
          'Waits at most 10 s for the other side, and says what it said. At most 5 a minute for a provider and 20 for an account; text messages are counted by the day, too.',
        params: idPath,
        response: { 200: TestAnswer },
        errors: [502],
      },
    },
    async (request) => {
      const tenant = db.as(callerOf(request))
      const row = await getProvider(tenant, request.params.id)
      const message = await sendTest(tenant, row, means)
      return { data: { success: true as const, provider_id: row.id, message } }
    },
  )
}
