import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a description, read as it comes
type Json = any

let server: TestServer
let description: Json

beforeAll(async () => {
  server = await startTestServer()
  description = (await server.anyone.get('/api/openapi.json')).body
})
afterAll(() => server.close())

function operations(): [string, Json][] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, Json] => [`${method} ${path}`, operation]),
  )
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1', () => {
    expect(description.openapi).toBe('3.1.0')
  })

  it('names every endpoint', () => {
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "delete /api/keys/{id}",
        "delete /api/session",
        "delete /api/users/{id}",
        "delete /api/v1/websites/{id}",
        "get /api/keys",
        "get /api/keys/{id}",
        "get /api/session",
        "get /api/users",
        "get /api/users/{id}",
        "get /api/v1/websites",
        "get /api/v1/websites/{id}",
        "get /healthz",
        "get /readyz",
        "patch /api/v1/websites/{id}",
        "post /api/keys",
        "post /api/session",
        "post /api/setup",
        "post /api/users",
        "post /api/v1/websites",
        "put /api/account/password",
        "put /api/v1/websites/{id}",
      ]
    `)
  })

  it('says of each what it is for, who may call it, and how it can fail', () => {
    for (const [name, operation] of operations()) {
      expect(operation.summary, name).toMatch(/^[A-Z]/)
      expect(operation.tags, name).toHaveLength(1)
      expect(operation.responses['500'], name).toBeDefined()
      expect(Array.isArray(operation.security), name).toBe(true)
      if (operation.security.length > 0) expect(operation.responses['401'], name).toBeDefined()
    }
  })

  it('takes bodies as JSON and as forms', () => {
    for (const [name, { requestBody }] of operations()) {
      if (requestBody === undefined) continue
      expect(Object.keys(requestBody.content), name).toEqual(['application/json', 'application/x-www-form-urlencoded'])
    }
  })

  it('is validated by what it describes: the bounds are those of the schemas', () => {
    const { properties } = description.paths['/api/keys'].post.requestBody.content['application/json'].schema
    expect(properties.name).toMatchObject({ minLength: 1, maxLength: 100 })
    expect(properties.scopes).toMatchObject({ minItems: 1, uniqueItems: true })
  })
})
