/** The description of the API, made from the schemas that validate it. */
import swagger from '@fastify/swagger'
import type { FastifySchema, RouteOptions } from 'fastify'
import type { Config } from '../config/config.ts'
import { problems } from '../lib/problem.ts'
import { type Access, anyone } from './access.ts'
import type { App } from './app-type.ts'

const description = `Who visits your websites, and whether they are up.

Send an API key as \`Authorization: Bearer bf_…\`. Bodies may be JSON or forms; answers are JSON.
Errors are \`application/problem+json\` (RFC 9457), one shape everywhere.`

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
    message: { type: 'string', description: 'The detail again, for clients that look here' },
    errors: {
      type: 'object',
      description: 'Sentences by field, on 422 only',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    request_id: { type: 'string' },
  },
}

const securitySchemes = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key: `bf_` and 43 characters' },
  session: { type: 'apiKey', in: 'cookie', name: 'belfry_session' },
} as const

function securityOf(access: Access): Record<string, string[]>[] {
  if (access.who === 'anyone') return []
  if (access.who === 'caller') return [{ key: [...access.scopes] }, { session: [] }]
  if (access.who === 'reader') return [{}, { key: [...access.scopes] }, { session: [] }]
  return [{ session: [] }]
}

function needsOf(access: Access): string {
  if (access.who === 'session') return 'Needs a session.'
  if (access.who === 'administrator') return 'Needs the session of an administrator.'
  if (access.who === 'anyone' || access.scopes.length === 0) return ''
  const scopes = access.scopes.map((s) => `\`${s}\``).join(' and ')
  return access.who === 'reader'
    ? `Open to anybody where the privacy of the website says so; otherwise needs ${scopes}.`
    : `Needs ${scopes}.`
}

/** The errors that the rules common to all routes can cause on this one. */
function commonErrors(schema: FastifySchema, access: Access, isRead: boolean): number[] {
  const statuses = [429, 500, 503]
  if (access.who !== 'anyone') statuses.push(401, 403)
  if (schema.params) statuses.push(404)
  if (!isRead) statuses.push(400, 413)
  if (!isRead && schema.ownBody === undefined) statuses.push(415, 422)
  if (schema.querystring) statuses.push(422)
  if (schema.repeatable) statuses.push(409)
  return [...new Set(statuses)].sort()
}

/** Described here alone: `creation.ts` reads it. */
const repeatHeaders = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Makes the request safe to repeat for 24 hours: the same key and body get the first answer again.',
      examples: ['import-2026-01-05-1'],
    },
  },
}

const successes: Record<string, string> = { 200: 'Success', 201: 'Created', 202: 'Accepted' }

/** What went well, said in a word where the schema says nothing. */
function successesOf(response: unknown): object {
  const schemas = Object.entries((response ?? {}) as Record<string, object>)
  return Object.fromEntries(schemas.map(([status, schema]) => [status, { description: successes[status], ...schema }]))
}

const problemAnswer = (status: number) => ({
  description: Object.values(problems).find((problem) => problem.status === status)?.title ?? 'Error',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

function describe(schema: FastifySchema, route: RouteOptions) {
  const access = route.config?.access ?? anyone
  const errors = [...commonErrors(schema, access, route.method === 'GET'), ...(schema.errors ?? [])]
  return {
    ...schema,
    description: [schema.description, needsOf(access)].filter(Boolean).join('\n\n'),
    security: securityOf(access),
    ...(schema.repeatable ? { headers: repeatHeaders } : {}),
    ...(schema.ownBody ? { body: schema.ownBody, consumes: ['application/json', 'text/plain'] } : {}),
    ...(schema.body ? { consumes: ['application/json', 'application/x-www-form-urlencoded'] } : {}),
    response: {
      ...successesOf(schema.response),
      ...Object.fromEntries(errors.map((status) => [status, problemAnswer(status)])),
    },
  }
}

declare module 'fastify' {
  interface FastifySchema {
    /** Statuses of errors beyond the common ones. */
    errors?: number[]
    /** A creation that takes an Idempotency-Key. */
    repeatable?: boolean
    /** A body that the route reads by itself, whatever it comes as: described, but not judged. */
    ownBody?: object
  }
}

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> }
}
interface Description {
  paths: Record<string, Record<string, Operation>>
}

/** Where no field is required, nor is the body. */
function letBodyBeLeftOut({ requestBody }: Operation): void {
  if (requestBody === undefined) return
  requestBody.required = Object.values(requestBody.content).some(({ schema }) => (schema.required ?? []).length > 0)
}

export function describeApi(app: App, { url }: Pick<Config, 'url'>): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Belfry', version: '1', description, license: { name: 'MIT' } },
      // Without it programs take the top of the host, which is not ours behind a prefix.
      ...(url !== undefined && { servers: [{ url }] }),
      // In the order in which somebody new needs them.
      tags: [
        'Websites',
        'Statistics',
        'Traffic',
        'Monitors',
        'Providers',
        'Assignments',
        'Overview',
        'API keys',
        'Session',
        'Users',
        'Server',
      ].map((name) => ({ name })),
      components: { securitySchemes, schemas: { Problem: problemSchema as never } },
    },
    transform: ({ schema, url, route }) => {
      if (schema?.hide === true) return { schema, url }
      return { schema: describe(schema ?? {}, route), url }
    },
    transformObject: (document) => {
      const description = (document as { openapiObject: Description }).openapiObject
      Object.values(description.paths)
        .flatMap(Object.values<Operation>)
        .forEach(letBodyBeLeftOut)
      return description as never
    },
  })

  let text: string | undefined
  app.get('/api/openapi.json', { config: { access: anyone }, schema: { hide: true } }, (_request, reply) => {
    // Routes never change once the server listens.
    text ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(text as never)
  })
}
