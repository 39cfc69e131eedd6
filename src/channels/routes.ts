import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { createChannel, deleteChannel, getChannel, readUnsavedChannel, updateChannel } from './channels.ts'
import type { MessageSender } from './message-sender.ts'
import { toChannelRecord } from './record.ts'
import {
  ChannelList,
  ChannelResponse,
  CreateChannel,
  TestChannelSettings,
  TestNotificationResponse,
  UnsavedTestResponse,
  UpdateChannel,
} from './schema.ts'
import { listChannels } from './store.ts'
import { sendTestNotification, testSavedChannel } from './test-notification.ts'

const tags = ['Providers']
const readAccess = { access: requireScopes('providers:read') }
const writeAccess = { access: requireScopes('providers:write') }

interface ChannelRouteDeps extends RouteDeps {
  messageSender: MessageSender
}

export function channelRoutes(app: App, services: ChannelRouteDeps): void {
  const { config, db, secret } = services
  const { allowsAll, ranges } = config.privateTargets
  const deps = {
    ...services,
    rules: { allowsHttp: allowsAll || ranges.length > 0, mailDomains: config.mailDomains },
  }

  app.get(
    '/api/providers',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listProviders',
        summary: 'List providers, newest first',
        response: { 200: ChannelList },
      },
    },
    async (request) => {
      const rows = await listChannels(db.as(callerOf(request)))
      return { data: rows.map((row) => toChannelRecord(row, secret)), meta: { total: rows.length } }
    },
  )

  app.post(
    '/api/providers',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createProvider',
        summary: 'Create a provider',
        description:
          'Send the fields of its type. Secrets are stored encrypted, and responses contain only their last four characters.',
        body: CreateChannel,
        response: { 201: ChannelResponse },
        acceptsIdempotencyKey: true,
      },
    },
    async (request, reply) =>
      createIdempotently(services, { request, reply }, async (q) => {
        const input = request.body as CreateChannel
        const row = await createChannel(q, callerOf(request).teamId, input, deps)
        return { path: `/api/providers/${row.id}`, responseBody: { data: toChannelRecord(row, secret) } }
      }),
  )

  app.get(
    '/api/providers/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getProvider',
        summary: 'Get a provider',
        params: idParams,
        response: { 200: ChannelResponse },
      },
    },
    async (request) => ({
      data: toChannelRecord(await getChannel(db.as(callerOf(request)), request.params.id), secret),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/providers/:id',
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updateProvider' : 'patchProvider',
        summary: `Update a provider${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: "Fields that are not sent keep their values. The type can't be changed.",
        params: idParams,
        body: UpdateChannel,
        response: { 200: ChannelResponse },
      },
      handler: async (request) => {
        const { id } = request.params
        const tenant = db.as(callerOf(request))
        const input = request.body as UpdateChannel
        const row = await tenant.transaction((q) => updateChannel(q, id, input, deps))
        return { data: toChannelRecord(row, secret) }
      },
    })
  }

  app.delete(
    '/api/providers/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteProvider',
        summary: 'Delete a provider and its assignments',
        params: idParams,
        response: { 200: deletedResponse('provider') },
      },
    },
    async (request) => {
      const { id } = request.params
      await db.as(callerOf(request)).transaction((q) => deleteChannel(q, id))
      return toDeleted('provider', id)
    },
  )

  app.post(
    '/api/providers/:id/test',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'testProvider',
        summary: 'Send a test notification',
        description:
          'Waits up to 10 s and returns the response of the service. Limited to 5 per minute for a provider and 20 for an account. Text messages also count towards the daily limit.',
        params: idParams,
        response: { 200: TestNotificationResponse },
        errors: [502],
      },
    },
    async (request) => {
      const tenant = db.as(callerOf(request))
      const row = await getChannel(tenant, request.params.id)
      const message = await testSavedChannel(tenant, row, deps)
      return { data: { success: true as const, provider_id: row.id, message } }
    },
  )

  app.post(
    '/api/providers/test',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'testUnsavedProvider',
        summary: 'Send a test notification with settings that are not saved',
        description:
          'Accepts the fields of a new provider and stores nothing. With `provider_id` it tests a change of that provider: fields that are not sent keep their saved values. If the request changes the address that the secrets are sent to, it must contain the secrets. The same rate limits apply as to tests of a saved provider.',
        body: TestChannelSettings,
        response: { 200: UnsavedTestResponse },
        errors: [502],
      },
    },
    async (request) => {
      const { teamId } = callerOf(request)
      const tenant = db.as(callerOf(request))
      const input = request.body as TestChannelSettings
      const unsaved = await readUnsavedChannel(tenant, input, deps)
      // Every query rejects a revoked key, but reading the settings may have needed no query. Reject the key before
      // anything is sent.
      await tenant.confirm()
      const id = input.provider_id ?? null
      const message = await sendTestNotification(tenant, { id, teamId, ...unsaved }, deps)
      return { data: { success: true as const, provider_id: id, message } }
    },
  )
}
