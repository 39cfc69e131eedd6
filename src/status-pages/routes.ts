import type { FastifyRequest } from 'fastify'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { listHostAndParents } from '../lib/network-address.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { parsePublicHost } from '../websites/domain.ts'
import { findOwnHost } from './domains/parse-custom-domain.ts'
import { countDomainCheck, createProofRecord, type DomainVerifier } from './domains/proof.ts'
import { findForeignDomains } from './domains/proof-store.ts'
import { CreateStatusPage, StatusPageQuery, StatusPageRecord, StatusPageResponse, UpdateStatusPage } from './schema.ts'
import {
  createStatusPage,
  deleteStatusPage,
  getStatusPage,
  hashPagePassword,
  listStatusPages,
  toStatusPageRecord,
  updateStatusPage,
} from './status-pages.ts'
import { findStatusPage } from './store.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Status pages']
const readAccess = { access: requireScopes('status:read') }
const writeAccess = { access: requireScopes('status:write') }

export interface StatusPageRouteDeps extends RouteDeps {
  /** Verifies a new domain immediately instead of at the next run of the job. */
  triggerJob(name: 'verify custom domains'): void
  domainVerifier: DomainVerifier
}

export function statusPageRoutes(app: App, deps: StatusPageRouteDeps): void {
  const { clock, config, counter, db, domainVerifier, secret, triggerJob } = deps

  /** Anybody can add a website without proof. So another user's website blocks a domain only until the caller proves to own the domain. */
  const findForeign = async (request: FastifyRequest, domain: string | null | undefined) => {
    // Compare the normalized name, because that is stored: `sh%6Fp.example.com` becomes `shop.example.com`.
    const host = parsePublicHost(domain?.trim() ?? '')
    if (!('value' in host)) return { foreignDomains: [] }
    const caller = callerOf(request)
    const { teamId } = caller
    const foreignDomains = await findForeignDomains(db, teamId, listHostAndParents(host.value))
    if (foreignDomains.length === 0) return { foreignDomains }
    const { id } = request.params as { id?: number }
    const current = id === undefined ? undefined : await findStatusPage(db.as(caller), id)
    // A domain that doesn't change is not checked again.
    if (current?.custom_domain === domain) return { foreignDomains }
    countDomainCheck(counter, teamId)
    const isProved = await domainVerifier.hasRecord(teamId, host.value)
    return isProved
      ? { foreignDomains: [] }
      : { foreignDomains, proofRecord: createProofRecord(secret, teamId, host.value) }
  }

  const contextOf = async (request: FastifyRequest, input: UpdateStatusPage) => ({
    defaultTimeZone: config.timeZone,
    ownHost: findOwnHost(config),
    ...(await findForeign(request, input.custom_domain)),
    passwordHash: await hashPagePassword(input),
    now: clock.now(),
  })

  const recordContextOf = (request: FastifyRequest) => ({
    serverUrl: config.url,
    secret,
    teamId: callerOf(request).teamId,
  })

  app.get(
    '/api/status-pages',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listStatusPages',
        summary: 'List status pages, newest first',
        querystring: Type.Object({ ...StatusPageQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) }),
        response: { 200: pagedListResponse(StatusPageRecord) },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const { search = '' } = request.query
      const query = { search, limit: page.limit, offset: page.offset }
      const { rows, total } = await db.as(callerOf(request)).snapshot((q) => listStatusPages(q, query))
      const recordContext = recordContextOf(request)
      return { data: rows.map((row) => toStatusPageRecord(row, recordContext)), meta: toPageMeta(page, total) }
    },
  )

  app.post(
    '/api/status-pages',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createStatusPage',
        summary: 'Create a status page',
        description:
          'Visitors find it at `/status/{slug}`. `slug` must be unique on this server. A `custom_domain` shows the page once `custom_domain_record` is in its DNS.',
        body: CreateStatusPage,
        response: { 201: StatusPageResponse },
        acceptsIdempotencyKey: true,
      },
    },
    async (request, reply) => {
      const context = await contextOf(request, request.body)
      const response = await createIdempotently(deps, { request, reply }, async (q) => {
        const row = await createStatusPage(q, callerOf(request).teamId, request.body, context)
        const data = toStatusPageRecord(row, recordContextOf(request))
        return { path: `/api/status-pages/${row.id}`, responseBody: { data } }
      })
      if (request.body.custom_domain) triggerJob('verify custom domains')
      return response
    },
  )

  app.get(
    '/api/status-pages/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getStatusPage',
        summary: 'Get a status page',
        params: idParams,
        response: { 200: StatusPageResponse },
      },
    },
    async (request) => ({
      data: toStatusPageRecord(
        await getStatusPage(db.as(callerOf(request)), request.params.id),
        recordContextOf(request),
      ),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/status-pages/:id',
      config: { ...writeAccess, right: 'edit shared' },
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updateStatusPage' : 'patchStatusPage',
        summary: `Update a status page${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'Fields that are not sent do not change. `groups` replaces all groups of the page.',
        params: idParams,
        body: UpdateStatusPage,
        response: { 200: StatusPageResponse },
      },
      handler: async (request) => {
        const caller = callerOf(request)
        const change = { id: request.params.id, input: request.body }
        const context = await contextOf(request, request.body)
        const row = await db.as(caller).transaction((q) => updateStatusPage(q, caller.teamId, change, context))
        if (request.body.custom_domain) triggerJob('verify custom domains')
        return { data: toStatusPageRecord(row, recordContextOf(request)) }
      },
    })
  }

  app.delete(
    '/api/status-pages/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteStatusPage',
        summary: 'Delete a status page with its logo, posts and subscribers',
        params: idParams,
        response: { 200: deletedResponse('status_page') },
      },
    },
    async (request) => {
      const { id } = request.params
      await deleteStatusPage(db.as(callerOf(request)), id)
      return toDeleted('status_page', id)
    },
  )
}
