/** Whether each kind of channel retries a rejected message, and which reason its error has. */
import { describe, expect, it } from 'vitest'
import { DeliveryError } from '../../src/outbox/delivery-error.ts'
import { type JsonKind, jsonKinds, kindsWithAddress, useChannelMessageFixture } from '../support/channel-messages.ts'
import { createSampleMessages } from '../support/sample-messages.ts'

const fixture = useChannelMessageFixture()
const messages = createSampleMessages()

describe('a message that is rejected', () => {
  async function failDelivery(kind: JsonKind, address?: string): Promise<DeliveryError> {
    const error = await fixture.deliver(kind, messages.down, address).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(DeliveryError)
    return error
  }

  it.each(jsonKinds)('by %s is retried only if the status code is temporary', async (kind) => {
    for (const [status, permanent] of [
      [400, true],
      [401, true],
      [404, true],
      [408, false],
      [429, false],
      [500, false],
      [503, false],
    ] as const) {
      fixture.receiver.respondWith(status, 'no', { 'retry-after': '30' })
      const error = await failDelivery(kind)
      expect([status, error.permanent, error.uncertain, error.retryAfterSeconds]).toEqual([
        status,
        permanent,
        false,
        30,
      ])
    }
  })

  it.each(jsonKinds)('by %s with a redirect is not sent to the new address', async (kind) => {
    fixture.receiver.handleWith((response, { path }) =>
      path.includes('elsewhere') ? response.end('ok') : response.writeHead(307, { location: '/elsewhere' }).end(),
    )
    const error = await failDelivery(kind)
    // The operator can fix the address of a service, so a later attempt can succeed. A user's address stays wrong.
    expect([error.message, error.permanent]).toEqual([
      expect.stringMatching(/ responded with 307$/),
      kindsWithAddress.includes(kind as never),
    ])
    expect(fixture.receiver.received).toHaveLength(1)
  })

  it.each(kindsWithAddress)('because the address of %s is private is given up immediately', async (kind) => {
    const error = await failDelivery(kind, 'http://10.1.2.3/x')
    expect(error).toMatchObject({ permanent: true, uncertain: false })
    expect(error.message).toContain('BELFRY_PRIVATE_TARGETS')
  })

  it.each([
    ['discord', { retry_after: 1.2 }, 2],
    ['matrix', { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 4_200 }, 5],
  ] as const)('by %s is retried after the time that the body of the response says: %j', async (kind, body, seconds) => {
    fixture.receiver.respondWith(429, body)
    expect((await failDelivery(kind)).retryAfterSeconds).toBe(seconds)
  })

  it.each([
    ['discord', { message: 'Unknown Webhook', code: 10015 }, 'Unknown Webhook'],
    ['googlechat', { error: { code: 400, message: 'Invalid JSON' } }, 'Invalid JSON'],
    ['ntfy', { code: 40301, error: 'forbidden' }, 'forbidden'],
    ['pushover', { status: 0, errors: ['user key is invalid'] }, 'user key is invalid'],
    ['gotify', { error: 'Unauthorized', errorDescription: 'you need a token' }, 'you need a token'],
    ['matrix', { errcode: 'M_FORBIDDEN', error: 'not in room' }, 'M_FORBIDDEN not in room'],
    ['pagerduty', { message: 'Event object is invalid', errors: ['bad key'] }, 'Event object is invalid: bad key'],
  ] as const)('by %s has the reason from the response', async (kind, body, reason) => {
    fixture.receiver.respondWith(400, body)
    expect((await failDelivery(kind)).response).toBe(reason)
  })

  it.each(['ntfy', 'gotify', 'matrix'] as const)(
    'by a website at the address of %s has a clear reason',
    async (kind) => {
      fixture.receiver.respondWith(200, '<!DOCTYPE html><title>Welcome</title>')
      expect((await failDelivery(kind)).message).toMatch(/^The address does not belong to a.* server: it responded/)
    },
  )

  it.each(jsonKinds)('by %s does not reveal secrets', async (kind) => {
    fixture.receiver.handleWith((response, { headers, path, body }) =>
      response.writeHead(400).end(`${path} ${JSON.stringify(headers).slice(0, 3_000)} ${body.slice(0, 100)}`),
    )
    const { response } = await failDelivery(kind, `${fixture.receiver.address}/s3cr3tWebhook`)
    expect(response).not.toMatch(/s3cr3tWebhook/)
  })
})
