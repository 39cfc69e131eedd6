/** The OpenAPI document, generated from the schemas that validate requests. */
import swagger from '@fastify/swagger'
import type { FastifySchema, RouteOptions } from 'fastify'
import type { Config } from '../config/config.ts'
import { problems } from '../lib/problem.ts'
import { type Access, anyone, publicFile } from './access.ts'
import type { App } from './app-type.ts'

const description = `Web analytics and uptime monitoring.

Send an API key as \`Authorization: Bearer bf_…\`. Request bodies can be JSON or forms; responses are JSON.
All errors are \`application/problem+json\` (RFC 9457).`

/** The tags in the order in which a new user needs them. */
const tags = [
  { name: 'Websites', description: 'The websites whose visitors are counted, and their settings' },
  {
    name: 'Statistics',
    description:
      'Figures about the visitors of a website. Everyone can read them if the website is public, otherwise only its team',
  },
  { name: 'Traffic', description: 'Page views and events, as trackers on websites send them' },
  { name: 'Monitors', description: 'The targets that Belfry checks, with their incidents and response times' },
  { name: 'Incidents', description: 'The incidents of all monitors, their acknowledgements and notes' },
  { name: 'Maintenances', description: 'Planned work on monitors, during which no incidents are announced' },
  { name: 'Status pages', description: 'Public pages about the state of monitors, with posts and subscribers' },
  {
    name: 'Heartbeats',
    description: 'Beats that jobs such as backups send, so that Belfry notices when one is missing',
  },
  { name: 'Providers', description: 'Notification channels, such as email, Slack, webhooks and text messages' },
  {
    name: 'Assignments',
    description: 'Which providers get the alerts of which monitors, and the alerts that were sent',
  },
  { name: 'Overview', description: "All websites and monitors of a user, for Belfry's own pages" },
  { name: 'API keys', description: 'Keys with scopes, for programs' },
  {
    name: 'Session',
    description: 'Signing in and out, second factors, your password, and the first account of a new server',
  },
  { name: 'Teams', description: 'Who works on the same websites and monitors, and what each person may do' },
  { name: 'Users', description: 'Accounts, managed by admins' },
  { name: 'Server', description: 'Health checks, and problems that an admin has to solve' },
]

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'message', 'request_id'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', examples: ['/problems/validation_failed'] },
    title: { type: 'string', examples: ['Validation failed'] },
    status: { type: 'integer', examples: [422] },
    code: { type: 'string', enum: Object.keys(problems) },
    detail: { type: 'string', examples: ['`name` is required.'] },
    message: { type: 'string', description: 'Same as `detail`, for clients that read `message`' },
    errors: {
      type: 'object',
      description: 'Messages by field; only with status 422',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    request_id: { type: 'string' },
  },
}

const securitySchemes = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key: `bf_` followed by 43 characters' },
  session: { type: 'apiKey', in: 'cookie', name: 'belfry_session' },
} as const

function securityOf(access: Access): Record<string, string[]>[] {
  if (access.who === 'anyone') return []
  if (access.who === 'caller') return [{ key: [] }, { session: [] }]
  if (access.who === 'optional-caller') return [{}, { key: [] }, { session: [] }]
  return [{ session: [] }]
}

/**
 * The scopes that an API key needs. OpenAPI 3.1 would allow them in `security`, but Spectral and many client generators accept
 * scopes there only for OAuth 2.
 */
function requiredScopesOf(access: Access): { 'x-required-scopes'?: readonly string[] } {
  return 'scopes' in access && access.scopes.length > 0 ? { 'x-required-scopes': access.scopes } : {}
}

function describeAccess(access: Access): string {
  if (access.who === 'session') return 'Requires a session.'
  if (access.who === 'admin') return "Requires an admin's session."
  if (access.who === 'anyone' || access.scopes.length === 0) return ''
  const scopes = access.scopes.map((s) => `\`${s}\``).join(' and ')
  return access.who === 'optional-caller'
    ? `Open to everyone if the website is public; otherwise requires ${scopes}.`
    : `Requires ${scopes}.`
}

/** Lists the statuses of errors that the HTTP core can cause on this route. */
function listCommonErrorStatuses(schema: FastifySchema, access: Access, isRead: boolean): number[] {
  const statuses = [400, 429, 500, 503]
  if (access.who !== 'anyone') statuses.push(401, 403)
  if (schema.params) statuses.push(404)
  // A route that parses its body itself accepts every content type, but responds with 415 to an invalid Content-Type header.
  if (!isRead) statuses.push(413, 415)
  if (!isRead && schema.selfParsedBody === undefined) statuses.push(422)
  if (schema.querystring) statuses.push(422)
  if (schema.acceptsIdempotencyKey) statuses.push(409)
  return [...new Set(statuses)].sort()
}

/** This schema only documents the header; `idempotent-create.ts` validates it. */
const idempotencyHeaders = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Makes it safe to retry the request for 24 hours: the same key and body return the first response again.',
      examples: ['import-2026-01-05-1'],
    },
  },
}

const successDescriptions: Record<string, string> = { 200: 'Success', 201: 'Created', 202: 'Accepted' }

/** Adds a description where the schema has none. */
function describeSuccesses(response: unknown): object {
  const schemas = Object.entries((response ?? {}) as Record<string, object>)
  return Object.fromEntries(
    schemas.map(([status, schema]) => [status, { description: successDescriptions[status], ...schema }]),
  )
}

const problemResponse = (status: number) => ({
  description: Object.values(problems).find((problem) => problem.status === status)?.title ?? 'Error',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

function describeRoute(schema: FastifySchema, route: RouteOptions) {
  const access = route.config?.access ?? anyone
  const errorStatuses = [...listCommonErrorStatuses(schema, access, route.method === 'GET'), ...(schema.errors ?? [])]
  return {
    ...schema,
    description: [schema.description, describeAccess(access)].filter(Boolean).join('\n\n'),
    security: securityOf(access),
    ...requiredScopesOf(access),
    ...(schema.acceptsIdempotencyKey ? { headers: idempotencyHeaders } : {}),
    ...(schema.selfParsedBody
      ? { body: schema.selfParsedBody, consumes: schema.bodyTypes ?? ['application/json', 'text/plain'] }
      : {}),
    ...(schema.body ? { consumes: ['application/json', 'application/x-www-form-urlencoded'] } : {}),
    response: {
      ...describeSuccesses(schema.response),
      ...Object.fromEntries(errorStatuses.map((status) => [status, problemResponse(status)])),
    },
  }
}

declare module 'fastify' {
  interface FastifySchema {
    /** Statuses of errors that only this route can cause. */
    errors?: number[]
    acceptsIdempotencyKey?: boolean
    /** The schema of a body that the route parses itself. It is documented, but not used for validation. */
    selfParsedBody?: object
    /** The content types of a body that the route parses itself, unless it accepts every type. */
    bodyTypes?: readonly string[]
  }
}

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[]; minLength?: number } }> }
}
interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>
}

/** A body without required fields is optional, unless it is a file. */
function setBodyRequired({ requestBody }: Operation): void {
  if (requestBody === undefined) return
  requestBody.required = Object.values(requestBody.content).some(
    ({ schema }) => (schema.required ?? []).length > 0 || schema.minLength === 1,
  )
}

/** Client generators name functions after `operationId`, so the server refuses to start if a documented route has none. */
function requireOperationIds(app: App): void {
  const routesById = new Map<string, string>()
  app.addHook('onRoute', ({ method, url, schema }) => {
    // Fastify adds HEAD routes with the schema of the GET route. They aren't documented.
    if (schema?.hide === true || method === 'HEAD') return
    const route = `${method} ${url}`
    const { operationId } = schema ?? {}
    if (operationId === undefined) throw new Error(`${route} has no operationId`)
    const otherRoute = routesById.get(operationId)
    if (otherRoute !== undefined) throw new Error(`${route} has the operationId of ${otherRoute}: ${operationId}`)
    routesById.set(operationId, route)
  })
}

export function registerOpenApi(app: App, config: Pick<Config, 'url'>): void {
  requireOperationIds(app)
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Belfry',
        version: '1',
        description,
        contact: { name: 'The Belfry authors' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags,
      components: { securitySchemes, schemas: { Problem: problemSchema as never } },
    },
    transform: ({ schema, url, route }) => {
      if (schema?.hide === true) return { schema, url }
      return { schema: describeRoute(schema ?? {}, route), url }
    },
    transformObject: (document) => {
      const { openapiObject } = document as { openapiObject: OpenApiDocument }
      Object.values(openapiObject.paths)
        .flatMap(Object.values<Operation>)
        .forEach(setBodyRequired)
      return openapiObject as never
    },
  })

  let document: { url: string; json: string } | undefined
  app.get('/api/openapi.json', { config: { access: publicFile }, schema: { hide: true } }, (_request, reply) => {
    // Without a public URL, paths are relative to the host that served the document.
    const { url = '/' } = config
    // Routes never change once the server listens.
    if (document?.url !== url) document = { url, json: JSON.stringify({ ...app.swagger(), servers: [{ url }] }) }
    return reply.type('application/json; charset=utf-8').send(document.json as never)
  })
}
