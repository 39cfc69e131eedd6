import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { anyone } from './access.ts'
import { registerOpenApi } from './openapi.ts'

function createDescribedApp() {
  const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()
  registerOpenApi(app, { url: undefined })
  return app
}

const config = { access: anyone }
const handler = () => ({})

describe('registerOpenApi', () => {
  it('refuses a documented route without operationId', () => {
    const app = createDescribedApp()
    expect(() => app.get('/orders', { config }, handler)).toThrow('GET /orders has no operationId')
    expect(() => app.get('/page', { config, schema: { hide: true } }, handler)).not.toThrow()
  })

  it('refuses a second route with the same operationId', () => {
    const app = createDescribedApp()
    const schema = { operationId: 'listOrders' }
    app.get('/orders', { config, schema }, handler)
    expect(() => app.get('/all-orders', { config, schema }, handler)).toThrow(
      'GET /all-orders has the operationId of GET /orders: listOrders',
    )
  })
})
