/** Sample providers of each kind, and a server with a user who can create them. */
import type { Environment } from '../../src/config/config.ts'
import type { Client } from './client.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { startTestServer, type TestServer } from './server.ts'

export const providersPath = '/api/providers'

export const sampleWebhook = 'https://hooks.example.com/services/T0123/B4567/s3cr3tWebhookPath'
export const sampleToken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** The fields that a request sends to create a provider, by kind of provider. */
export const providerSamples = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url: sampleWebhook, channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token: sampleToken },
  sms: { phone_number: '+4915112345678' },
} as const

export type SampleKind = keyof typeof providerSamples

/** What the API returns for each provider in `providerSamples`. Of a secret, it returns only the last characters, as a hint. */
export const expectedProviderFields = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url_hint: 'Path', channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token_hint: 'ew11' },
  sms: { phone_number: '+4915112345678' },
} as const

export const sampleKinds = Object.keys(providerSamples) as SampleKind[]

export const getSample = (kind: SampleKind) => ({ provider_type: kind, ...providerSamples[kind] })

export interface ProviderFixture {
  server: TestServer
  receiver: HttpReceiver
  client: Client
  /** Returns the path for sending a test notification to the new provider. */
  createProvider(input: object): Promise<string>
  close(): Promise<void>
}

/** `createEnv` can use the receiver's address. */
export async function startProviderFixture(
  createEnv: (receiver: HttpReceiver) => Environment,
): Promise<ProviderFixture> {
  const receiver = await startHttpReceiver()
  const server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: 'allow', ...createEnv(receiver) } })
  const client = await (await server.createUser('ada')).withKey('providers:read', 'providers:write')
  return {
    server,
    receiver,
    client,
    createProvider: async (input) => `${providersPath}/${(await client.post(providersPath, input)).body.data.id}/test`,
    close: async () => {
      await server.close()
      await receiver.close()
    },
  }
}
