/** Sends messages of all kinds that use HTTP and JSON to one receiver. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { ChannelMessage } from '../../src/channels/common/channel.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import { readConfig } from '../../src/config/config.ts'
import { channelSamples } from './channels.ts'
import { TestClock } from './clock.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'
import { createSampleMessages } from './sample-messages.ts'

export const jsonKinds = [
  'webhook',
  'discord',
  'teams',
  'googlechat',
  'ntfy',
  'pushover',
  'gotify',
  'matrix',
  'pagerduty',
] as const
export type JsonKind = (typeof jsonKinds)[number]
/** The kinds whose address a user chooses. */
export const kindsWithAddress = jsonKinds.filter((kind) => kind !== 'pushover' && kind !== 'pagerduty')

/** The fields with the address of the service, by kind. Pushover and PagerDuty have none. */
const addressFields: Partial<Record<JsonKind, string>> = {
  webhook: 'url',
  discord: 'webhook_url',
  teams: 'webhook_url',
  googlechat: 'webhook_url',
  ntfy: 'server',
  gotify: 'server',
  matrix: 'homeserver',
}

export class ChannelMessageFixture {
  #receiver: HttpReceiver | undefined
  #sender: MessageSender | undefined

  async start(): Promise<void> {
    this.#receiver = await startHttpReceiver()
    const { address } = this.#receiver
    const config = readConfig({
      BELFRY_PRIVATE_TARGETS: '127.0.0.1',
      BELFRY_PUSHOVER_API: `${address}/pushover`,
      BELFRY_PAGERDUTY_API: `${address}/pagerduty`,
    })
    this.#sender = new MessageSender(config, new TestClock())
  }

  get receiver(): HttpReceiver {
    return this.#receiver as HttpReceiver
  }

  /** Sends the message. Resolves with the response of the receiver. */
  async deliver(
    kind: JsonKind,
    message: ChannelMessage,
    address = `${this.receiver.address}/base`,
    fields: object = {},
  ) {
    const addressField = addressFields[kind]
    const settings = {
      ...channelSamples[kind],
      ...(addressField !== undefined && { [addressField]: address }),
      ...fields,
    }
    return this.#sender?.deliver({ type: kind, settings }, message)
  }

  /** Sends a message and returns the requests, the last one first. */
  async send(kind: JsonKind, message: ChannelMessage, fields?: object) {
    this.receiver.received.length = 0
    const response = await this.deliver(kind, message, undefined, fields)
    const requests = this.receiver.received.toReversed()
    return { response, requests, json: JSON.parse(requests[0]?.body ?? '') }
  }

  /** Forgets requests, and accepts further ones. */
  reset(): void {
    this.receiver.received.length = 0
    this.receiver.respondWith(200, 'ok')
  }

  async close(): Promise<void> {
    await this.#sender?.stop()
    await this.#receiver?.close()
  }
}

/** Starts a fixture for the tests of a file, and resets it before each of them. */
export function useChannelMessageFixture(): ChannelMessageFixture {
  const fixture = new ChannelMessageFixture()
  beforeAll(() => fixture.start())
  afterAll(() => fixture.close())
  beforeEach(() => fixture.reset())
  return fixture
}

/** The names contain markup, mentions and hidden text, which a service must not interpret. */
export const createHostileMessages = () =>
  createSampleMessages({
    friendlyName: `</p><b>@everyone @room <users/all> <!channel> **x** [a](https://evil.example) "'& \u202e\u200b\n# h1`,
    url: 'https://example.com/?a=1&b=<b>"|c)',
    detail: `The body lacks "<a href='https://evil.example'>" & *this*`,
  })

/** Creates a message that is longer than what any service accepts. */
export function createLongMessage(): ChannelMessage {
  const longText = '<&*🎈'.repeat(4_000)
  return {
    ...createSampleMessages().down,
    title: longText,
    text: longText,
    facts: Array.from({ length: 30 }, (_, n) => ({ label: 'Long', value: longText, isLong: n % 2 === 0 })),
  }
}
