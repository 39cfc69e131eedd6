import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document has no types here
type Json = any

let server: TestServer
let document: Json

beforeAll(async () => {
  server = await startTestServer()
  document = (await server.anyone.get('/api/openapi.json')).body
})
afterAll(() => server.close())

function listOperations(): [string, Json][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
  )
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0')
  })

  it('lists every endpoint', () => {
    expect(
      listOperations()
        .map(([name]) => name)
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "delete /api/account/identity",
        "delete /api/account/passkeys/{id}",
        "delete /api/incidents/{id}/notes/{note_id}",
        "delete /api/keys/{id}",
        "delete /api/maintenances/{id}",
        "delete /api/monitors/{id}",
        "delete /api/monitors/{id}/notifications",
        "delete /api/providers/{id}",
        "delete /api/providers/{id}/monitors",
        "delete /api/sample-data",
        "delete /api/server/settings/mail",
        "delete /api/server/settings/single-sign-on",
        "delete /api/server/settings/url",
        "delete /api/session",
        "delete /api/sessions",
        "delete /api/sessions/{id}",
        "delete /api/status-pages/{id}",
        "delete /api/status-pages/{id}/logo",
        "delete /api/status-pages/{id}/posts/{post_id}",
        "delete /api/status-pages/{id}/posts/{post_id}/updates/{update_id}",
        "delete /api/status-pages/{id}/subscribers/{subscriber_id}",
        "delete /api/status-post-templates/{id}",
        "delete /api/teams/{id}",
        "delete /api/teams/{id}/invitations/{invitation_id}",
        "delete /api/teams/{id}/members/{user_id}",
        "delete /api/users/{id}",
        "delete /api/v1/websites/{id}",
        "get /api/account",
        "get /api/account/identity",
        "get /api/account/security",
        "get /api/audit",
        "get /api/incidents",
        "get /api/incidents/{id}",
        "get /api/keys",
        "get /api/keys/{id}",
        "get /api/live",
        "get /api/maintenances",
        "get /api/maintenances/{id}",
        "get /api/monitors",
        "get /api/monitors/{id}",
        "get /api/monitors/{id}/beats",
        "get /api/monitors/{id}/checks",
        "get /api/monitors/{id}/incidents",
        "get /api/monitors/{id}/incidents/{incident_id}/visits",
        "get /api/monitors/{id}/notifications",
        "get /api/monitors/{id}/notifications/log",
        "get /api/monitors/{id}/posts",
        "get /api/monitors/{id}/uptime",
        "get /api/overview",
        "get /api/overview/response-times",
        "get /api/providers",
        "get /api/providers/{id}",
        "get /api/providers/{id}/monitors",
        "get /api/server/go-live",
        "get /api/server/private-targets",
        "get /api/server/problems",
        "get /api/server/settings",
        "get /api/session",
        "get /api/sessions",
        "get /api/sign-in-methods",
        "get /api/status-pages",
        "get /api/status-pages/{id}",
        "get /api/status-pages/{id}/logo",
        "get /api/status-pages/{id}/posts",
        "get /api/status-pages/{id}/posts/{post_id}",
        "get /api/status-pages/{id}/posts/{post_id}/updates",
        "get /api/status-pages/{id}/posts/{post_id}/updates/{update_id}",
        "get /api/status-pages/{id}/preview",
        "get /api/status-pages/{id}/subscribers",
        "get /api/status-post-templates",
        "get /api/status-post-templates/{id}",
        "get /api/teams",
        "get /api/teams/{id}",
        "get /api/teams/{id}/invitations",
        "get /api/teams/{id}/members",
        "get /api/users",
        "get /api/users/{id}",
        "get /api/v1/stats/{id}",
        "get /api/v1/stats/{id}/overview",
        "get /api/v1/websites",
        "get /api/v1/websites/{id}",
        "get /api/v1/websites/{id}/arrivals",
        "get /api/v1/websites/{id}/dropped",
        "get /api/v1/websites/{id}/exclusions",
        "get /api/v1/websites/{id}/favicon",
        "get /api/v1/websites/{id}/outages",
        "get /beat/{token}",
        "get /beat/{token}/{signal}",
        "get /healthz",
        "get /readyz",
        "get /status/{slug}.json",
        "get /status/{slug}/history/{month}.json",
        "patch /api/account",
        "patch /api/account/passkeys/{id}",
        "patch /api/maintenances/{id}",
        "patch /api/monitors/{id}",
        "patch /api/providers/{id}",
        "patch /api/status-pages/{id}",
        "patch /api/status-pages/{id}/posts/{post_id}",
        "patch /api/status-pages/{id}/posts/{post_id}/updates/{update_id}",
        "patch /api/status-post-templates/{id}",
        "patch /api/teams/{id}",
        "patch /api/teams/{id}/members/{user_id}",
        "patch /api/v1/websites/{id}",
        "post /api/account/confirm-email",
        "post /api/account/identity",
        "post /api/account/passkeys",
        "post /api/account/passkeys/options",
        "post /api/account/recovery-codes",
        "post /api/account/totp",
        "post /api/account/totp/disable",
        "post /api/confirm-email",
        "post /api/event",
        "post /api/incidents/{id}/acknowledge",
        "post /api/incidents/{id}/notes",
        "post /api/invitations/accept",
        "post /api/invitations/preview",
        "post /api/keys",
        "post /api/maintenances",
        "post /api/maintenances/{id}/end",
        "post /api/monitors",
        "post /api/monitors/bulk",
        "post /api/monitors/try",
        "post /api/monitors/{id}/check",
        "post /api/monitors/{id}/move",
        "post /api/monitors/{id}/notifications",
        "post /api/password-reset",
        "post /api/password-reset/confirm",
        "post /api/providers",
        "post /api/providers/test",
        "post /api/providers/{id}/monitors",
        "post /api/providers/{id}/test",
        "post /api/server/settings/mail/test",
        "post /api/server/settings/single-sign-on/test",
        "post /api/session",
        "post /api/session/passkey",
        "post /api/session/passkey/options",
        "post /api/session/second-factor",
        "post /api/setup",
        "post /api/status-pages",
        "post /api/status-pages/preview",
        "post /api/status-pages/{id}/check-domain",
        "post /api/status-pages/{id}/posts",
        "post /api/status-pages/{id}/posts/{post_id}/updates",
        "post /api/status-post-templates",
        "post /api/teams",
        "post /api/teams/{id}/invitations",
        "post /api/users",
        "post /api/v1/stats/{id}/unlock",
        "post /api/v1/websites",
        "post /api/v1/websites/{id}/move",
        "post /api/v1/websites/{id}/silence/replay",
        "post /api/v1/websites/{id}/verify",
        "post /beat/{token}",
        "post /beat/{token}/{signal}",
        "put /api/account/email",
        "put /api/account/password",
        "put /api/account/totp",
        "put /api/maintenances/{id}",
        "put /api/monitors/{id}",
        "put /api/providers/{id}",
        "put /api/sample-data",
        "put /api/server/settings/backups",
        "put /api/server/settings/mail",
        "put /api/server/settings/single-sign-on",
        "put /api/server/settings/url",
        "put /api/session",
        "put /api/status-pages/{id}",
        "put /api/status-pages/{id}/logo",
        "put /api/status-pages/{id}/posts/{post_id}",
        "put /api/status-pages/{id}/posts/{post_id}/updates/{update_id}",
        "put /api/status-post-templates/{id}",
        "put /api/v1/websites/{id}",
      ]
    `)
  })

  it('has paths relative to its host, and the license', () => {
    expect(document.servers).toEqual([{ url: '/' }])
    expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' })
  })

  it('describes each tag, and uses no other tags', () => {
    for (const { name, description } of document.tags) expect(description, name).toMatch(/^[A-Z]/)
    const usedTags = new Set(listOperations().flatMap(([, { tags }]) => tags))
    expect(document.tags.map(({ name }: Json) => name).sort()).toEqual([...usedTags].sort())
  })

  it('names each endpoint with a verb, and lists the scopes that a key needs', () => {
    const verb =
      /^(accept|acknowledge|add|assign|bulkUpdate|change|check|choose|create|delete|end|get|list|move|patch|preview|remove|reset|revoke|send|sign|stream|test|try|unlock|update|verify)[A-Z]/
    const operations = listOperations()
    for (const [name, { operationId }] of operations) expect(operationId, name).toMatch(verb)
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length)
    const scopesOf = (path: string) => document.paths[path].get['x-required-scopes']
    expect(scopesOf('/api/monitors/{id}/notifications')).toEqual(['monitors:read', 'providers:read'])
    expect(scopesOf('/api/keys')).toBeUndefined()
  })

  it('describes the purpose, access and errors of each endpoint', () => {
    for (const [name, operation] of listOperations()) {
      expect(operation.summary, name).toMatch(/^[A-Z]/)
      expect(operation.tags, name).toHaveLength(1)
      expect(operation.responses['500'], name).toBeDefined()
      expect(Array.isArray(operation.security), name).toBe(true)
      if (operation.security.length > 0) expect(operation.responses['401'], name).toBeDefined()
    }
  })

  it('makes a body without required fields optional', () => {
    const isRequired = (method: string, path: string) => document.paths[path][method].requestBody.required
    expect(isRequired('delete', '/api/monitors/{id}/notifications')).toBe(false)
    expect(isRequired('post', '/api/monitors/{id}/notifications')).toBe(true)
    expect(isRequired('put', '/api/status-pages/{id}/logo')).toBe(true)
  })

  it('accepts bodies as JSON and as forms', () => {
    for (const [name, { requestBody }] of listOperations()) {
      // The body of this request is a file, not a list of fields.
      if (requestBody === undefined || name === 'put /api/status-pages/{id}/logo') continue
      // Beats and events can be plain text instead of forms. A beat can contain any output of a job. Trackers send
      // events as plain text, because browsers then need no CORS preflight.
      const otherType = /^post \/(api\/event|beat\/.*)$/.test(name) ? 'text/plain' : 'application/x-www-form-urlencoded'
      expect(Object.keys(requestBody.content), name).toEqual(['application/json', otherType])
    }
  })

  it('contains only valid examples', () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    // Many endpoints have equal schemas, and compiling one is slow.
    const validators = new Map<string, ValidateFunction>()
    const findValidator = (schema: Json) => {
      const key = JSON.stringify(schema)
      const validator = validators.get(key) ?? ajv.compile(schema)
      validators.set(key, validator)
      return validator
    }
    const validateExamples = (schema: Json, location: string): number => {
      if (schema === null || typeof schema !== 'object') return 0
      const isSchema = 'type' in schema || 'anyOf' in schema
      const examples = isSchema && Array.isArray(schema.examples) ? schema.examples : []
      for (const example of examples) expect([location, findValidator(schema)(example)]).toEqual([location, true])
      const partCounts = Object.entries(schema).map(([name, part]) => validateExamples(part, `${location}/${name}`))
      return partCounts.reduce((sum, count) => sum + count, examples.length)
    }
    expect(validateExamples(document.paths, '')).toBeGreaterThan(100)
  })

  it.each(['/api/v1/websites', '/api/monitors', '/api/providers', '/api/status-pages'])(
    'has an example or a default for every field of %s, in requests and responses',
    (path) => {
      const { get, post } = document.paths[path]
      const { put, patch } = document.paths[`${path}/{id}`]
      const bodies = [post, put, patch].map(({ requestBody }) => requestBody.content['application/json'].schema)
      const { data, meta } = get.responses['200'].content['application/json'].schema.properties
      const records = data.items.anyOf ?? [data.items]
      for (const { properties } of [...bodies, ...records, meta]) {
        for (const [name, field] of Object.entries<Json>(properties)) {
          const hasExampleOrDefault = ['examples', 'default', 'properties'].some((key) => field[key] !== undefined)
          expect([name, hasExampleOrDefault]).toEqual([name, true])
        }
      }
    },
  )

  it.each([
    ['/api/maintenances', 1],
    ['/api/monitors', 1],
    ['/api/providers', 13],
    ['/api/status-pages', 1],
  ])('has example bodies that %s accepts', async (path, count) => {
    const { example, examples = { only: { value: example } } } =
      document.paths[path].post.requestBody.content['application/json']
    const { session } = await server.createUser(`example-${path.split('/').at(-1)}`)
    const statuses = await Promise.all(
      Object.values<Json>(examples).map(async ({ value }) => (await session.post(path, value)).status),
    )
    expect(statuses).toEqual(Array(count).fill(201))
  })

  it('documents Idempotency-Key on every endpoint that accepts it', () => {
    const names = listOperations()
      .filter(([, { parameters = [] }]) => parameters.some((parameter: Json) => parameter.name === 'Idempotency-Key'))
      .map(([name]) => name)
    expect(names.sort()).toEqual([
      'post /api/incidents/{id}/notes',
      'post /api/maintenances',
      'post /api/monitors',
      'post /api/providers',
      'post /api/status-pages',
      'post /api/status-pages/{id}/posts',
      'post /api/status-pages/{id}/posts/{post_id}/updates',
      'post /api/status-post-templates',
      'post /api/users',
      'post /api/v1/websites',
    ])
  })

  it('contains the limits of the validation schemas', () => {
    const { properties } = document.paths['/api/keys'].post.requestBody.content['application/json'].schema
    expect(properties.name).toMatchObject({ minLength: 1, maxLength: 100 })
    expect(properties.scopes).toMatchObject({ minItems: 1, uniqueItems: true })
  })
})
