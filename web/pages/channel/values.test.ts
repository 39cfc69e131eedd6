import { describe, expect, it } from 'vitest'
import type { Channel } from '../../lib/channels.ts'
import {
  diffChannel,
  emptyChannelFormValues,
  findChannelFormErrors,
  hasNewDestination,
  toChannelFormValues,
  toChannelInput,
} from './values.ts'

const slackChannel: Channel = {
  id: 7,
  provider_type: 'slack',
  name: 'Ops',
  assign_by_default: false,
  failure: null,
  failed_at: null,
  webhook_url_hint: 'Path',
  channel: '#ops',
  username: null,
}

describe('a new channel', () => {
  it('is sent with the fields of its type, without empty optional ones', () => {
    const fields = {
      slack: { webhook_url: ' https://hooks.example.com/x ', channel: ' ' },
      discord: { webhook_url: 'https://discord.example.com/y' },
    }
    expect(toChannelInput('slack', { ...emptyChannelFormValues, fields })).toEqual({
      provider_type: 'slack',
      assign_by_default: false,
      webhook_url: 'https://hooks.example.com/x',
    })
  })

  it('starts with the public ntfy server', () => {
    const fields = { ntfy: { topic: 'ops' } }
    expect(toChannelInput('ntfy', { ...emptyChannelFormValues, fields })).toEqual({
      provider_type: 'ntfy',
      assign_by_default: false,
      server: 'https://ntfy.sh',
      topic: 'ops',
    })
  })

  it('is sent with headers only if it is a webhook that has headers', () => {
    const headers = [{ key: 0, name: ' X-Key ', value: 'v' }]
    const fields = { webhook: { url: 'https://example.com' } }
    expect(toChannelInput('webhook', { ...emptyChannelFormValues, fields, headers })).toMatchObject({
      headers: { 'X-Key': 'v' },
    })
    expect(toChannelInput('webhook', { ...emptyChannelFormValues, fields })).not.toHaveProperty('headers')
    expect(toChannelInput('slack', { ...emptyChannelFormValues, headers })).not.toHaveProperty('headers')
    const repeatedHeaders = [...headers, { key: 1, name: 'x-key', value: 'w' }]
    expect(findChannelFormErrors('webhook', { ...emptyChannelFormValues, headers: repeatedHeaders })).toEqual({
      headers: ['x-key is listed twice.'],
    })
  })

  it('is sent with empty required fields, so that the server rejects them', () => {
    expect(toChannelInput('telegram', emptyChannelFormValues)).toMatchObject({ token: '', chat_id: '' })
  })
})

it.each(['+49 151 123-456 78', '+49 (0)151 / 12345678', '+49.151.12345678', ' [+49] 151–12345678'])(
  'a phone number written as %j is sent in the international format',
  (phone_number) => {
    const input = toChannelInput('sms', { ...emptyChannelFormValues, fields: { sms: { phone_number } } })
    expect(input).toMatchObject({ phone_number: '+4915112345678' })
  },
)

describe('the form of a saved channel', () => {
  const savedValues = toChannelFormValues(slackChannel)

  it('sends nothing if nothing changed', () => {
    expect(diffChannel(slackChannel, savedValues)).toEqual({})
  })

  it('sends null for optional fields that were emptied', () => {
    const fields = { slack: { ...savedValues.fields.slack, channel: '' } }
    expect(diffChannel(slackChannel, { ...savedValues, name: ' ', fields })).toEqual({ name: null, channel: null })
  })

  it('sends a secret only if a new one was typed', () => {
    const fields = { slack: { ...savedValues.fields.slack, webhook_url: 'https://hooks.example.com/new' } }
    expect(diffChannel(slackChannel, { ...savedValues, fields, assign_by_default: true })).toEqual({
      assign_by_default: true,
      webhook_url: 'https://hooks.example.com/new',
    })
  })

  it('sends an empty required field, so that the server rejects it', () => {
    const emailChannel: Channel = { ...slackChannel, provider_type: 'email', recipient_email: 'ops@example.com' }
    expect(
      diffChannel(emailChannel, {
        ...toChannelFormValues(emailChannel),
        fields: { email: { recipient_email: '' } },
      }),
    ).toEqual({
      recipient_email: '',
    })
  })

  const webhook: Channel = {
    ...slackChannel,
    provider_type: 'webhook',
    url_hint: 'hook',
    secret_hint: '1234',
    headers: { 'X-Key': 'abcd', 'X-Team': '' },
  }

  it('sends all headers if one of them changed, and null for a removed secret', () => {
    const values = toChannelFormValues(webhook)
    expect(diffChannel(webhook, values)).toEqual({})
    const [key, team] = values.headers
    const headers = [key as never, { ...(team as object), value: 'ops' } as never]
    expect(diffChannel(webhook, { ...values, headers, removedSecrets: ['secret'] })).toEqual({
      secret: null,
      headers: { 'X-Key': 'abcd', 'X-Team': 'ops' },
    })
  })

  it('has a new destination if another address was typed', () => {
    const values = toChannelFormValues(webhook)
    expect(hasNewDestination(webhook, values)).toBe(false)
    const fields = { webhook: { url: 'https://example.com/new' } }
    expect(hasNewDestination(webhook, { ...values, fields })).toBe(true)
    expect(hasNewDestination(undefined, { ...values, fields })).toBe(false)
  })
})
