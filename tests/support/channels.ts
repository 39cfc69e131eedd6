/** Sample channels of each kind, settings that they need, and a server with a user who can create them. */
import type { Environment } from '../../src/config/config.ts'
import type { Client } from './client.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'

export const channelsPath = '/api/providers'

export const sampleWebhook = 'https://hooks.example.com/services/T0123/B4567/s3cr3tWebhookPath'
export const sampleToken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** Settings with which Belfry sends text messages to the receiver at this address. */
export const createSmsEnv = (address: string): Environment => ({
  BELFRY_SMS_URL: `${address}/sms`,
  BELFRY_SMS_ACCOUNT: 'AC1',
  BELFRY_SMS_TOKEN: 'a token',
  BELFRY_SMS_FROM: '+15005550006',
})

/** The fields that a request sends to create a channel, by kind of channel. */
export const channelSamples = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url: sampleWebhook, channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token: sampleToken },
  sms: { phone_number: '+4915112345678' },
  webhook: {
    url: 'https://hooks.example.com/belfry/s3cr3tWebhookPath',
    secret: 'k3x8-s3cr3tWebhook-qv2m',
    headers: { 'X-Team': 'operations', Authorization: 'Bearer s3cr3tWebhook-12ab' },
  },
  discord: { webhook_url: sampleWebhook },
  teams: { webhook_url: sampleWebhook },
  googlechat: { webhook_url: sampleWebhook },
  ntfy: { server: 'https://ntfy.example.com', topic: 'belfry-k3x8', token: 'tk_s3cr3tWebhook7890' },
  pushover: { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', token: 'azGs3cr3tWebhookMaC0QOYAMyEEuz' },
  gotify: { server: 'https://gotify.example.com/push', token: 's3cr3tWebhook-kWkd' },
  matrix: { homeserver: 'https://matrix.example.com', room_id: '!belfry:example.com', token: 'syt_s3cr3tWebhook_1234' },
  pagerduty: { routing_key: 'R0s3cr3tWebhookDEF0123456789ABCD' },
} as const

export type SampleKind = keyof typeof channelSamples

/** What the API returns for each channel in `channelSamples`. Of a secret, it returns only the last characters, as a hint. */
export const expectedChannelFields = {
  email: { recipient_email: 'ops@example.com' },
  slack: { webhook_url_hint: 'Path', channel: '#ops', username: 'Belfry' },
  telegram: { chat_id: '-1001234567890', token_hint: 'ew11' },
  sms: { phone_number: '+4915112345678' },
  webhook: { url_hint: 'Path', secret_hint: 'qv2m', headers: { 'X-Team': 'ions', Authorization: '12ab' } },
  discord: { webhook_url_hint: 'Path' },
  teams: { webhook_url_hint: 'Path' },
  googlechat: { webhook_url_hint: 'Path' },
  ntfy: { server: 'https://ntfy.example.com', topic: 'belfry-k3x8', token_hint: '7890' },
  pushover: { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', token_hint: 'EEuz' },
  gotify: { server: 'https://gotify.example.com/push', token_hint: 'kWkd' },
  matrix: { homeserver: 'https://matrix.example.com', room_id: '!belfry:example.com', token_hint: '1234' },
  pagerduty: { routing_key_hint: 'ABCD' },
} as const

export const sampleKinds = Object.keys(channelSamples) as SampleKind[]

export const getSample = (kind: SampleKind) => ({ provider_type: kind, ...channelSamples[kind] })

export async function createChannel(person: TestUser, fields: object): Promise<number> {
  return (await person.session.post(channelsPath, fields)).body.data.id
}

/** Returns the names of the monitors. */
export async function listAssignedMonitors(person: TestUser, id: number): Promise<string[]> {
  const { body } = await person.session.get(`${channelsPath}/${id}/monitors`)
  return body.data.map((monitor: { friendly_name: string }) => monitor.friendly_name)
}

export interface ChannelFixture {
  server: TestServer
  receiver: HttpReceiver
  client: Client
  /** Returns the path for sending a test notification to the new channel. */
  createChannel(input: object): Promise<string>
  close(): Promise<void>
}

/** `createEnv` can use the receiver's address. */
export async function startChannelFixture(createEnv: (receiver: HttpReceiver) => Environment): Promise<ChannelFixture> {
  const receiver = await startHttpReceiver()
  const server = await startTestServer({ env: { BELFRY_PRIVATE_TARGETS: 'allow', ...createEnv(receiver) } })
  const client = await (await server.createUser('ada')).withKey('providers:read', 'providers:write')
  return {
    server,
    receiver,
    client,
    createChannel: async (input) => `${channelsPath}/${(await client.post(channelsPath, input)).body.data.id}/test`,
    close: async () => {
      await server.close()
      await receiver.close()
    },
  }
}
