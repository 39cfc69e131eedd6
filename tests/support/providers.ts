/** One provider of each kind, and somebody on a server that can send. */
import type { Environment } from '../../src/config/config.ts'
import type { Client } from './client.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { startTestServer, type TestServer } from './server.ts'

export const path = '/api/providers'

export const webhook = 'https://hooks.example.com/services/T0123/B4567/s3cr3tWebhookPath'
export const token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** What is sent to make one, by kind. */
export const samples = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url: webhook, channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token },
  sms: { phone_number: '+4915112345678' },
} as const

export type Kind = keyof typeof samples

/** What is shown of each. */
export const shown = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url_hint: 'Path', channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token_hint: 'ew11' },
  sms: { phone_number: '+4915112345678' },
} as const

export const kinds = Object.keys(samples) as Kind[]

export const sampleOf = (kind: Kind) => ({ provider_type: kind, ...samples[kind] })

export interface Sender {
  server: TestServer
  receiver: HttpReceiver
  client: Client
  /** Makes one, and gives the path of its test. */
  make(input: object): Promise<string>
  close(): Promise<void>
}

/** `env` may need to know where the receiver is. */
export async function startSender(env: (receiver: HttpReceiver) => Environment): Promise<Sender> {
  const receiver = await startHttpReceiver()
  const server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: 'allow', ...env(receiver) } })
  const client = await (await server.person('ada')).withKey('providers:read', 'providers:write')
  return {
    server,
    receiver,
    client,
    make: async (input) => `${path}/${(await client.post(path, input)).body.data.id}/test`,
    close: async () => {
      await server.close()
      await receiver.close()
    },
  }
}
