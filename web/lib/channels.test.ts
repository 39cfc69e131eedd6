import { describe, expect, it } from 'vitest'
import { type Channel, type ChannelType, describeChannel, getChannelName } from './channels.ts'

const channel = (provider_type: ChannelType, fields: Partial<Channel>) =>
  ({ provider_type, name: null, ...fields }) as Channel

describe('a channel without a name', () => {
  it.each([
    [channel('email', { recipient_email: 'ops@example.com' }), 'ops@example.com', 'ops@example.com (Email)'],
    [channel('sms', { phone_number: '+4915112345678' }), '+4915112345678', '+4915112345678 (SMS)'],
    [channel('slack', { webhook_url_hint: '/xyz' }), 'Slack …/xyz'],
    [channel('slack', { webhook_url_hint: '/xyz', channel: '#ops' }), 'Slack #ops (…/xyz)'],
    [channel('teams', { webhook_url_hint: 'abcd' }), 'Microsoft Teams …abcd'],
    [channel('webhook', { url_hint: '/in' }), 'Webhook …/in'],
    [channel('telegram', { chat_id: '-100' }), 'Telegram chat -100'],
    [channel('ntfy', { server: 'https://push.example.com', topic: 'ops' }), 'ntfy push.example.com/ops'],
    [channel('pagerduty', { routing_key_hint: 'cdef' }), 'PagerDuty integration …cdef'],
  ])('%j is named by its type and destination', (unnamed, name, nameWithType = name) => {
    expect(getChannelName(unnamed)).toBe(name)
    expect(describeChannel(unnamed)).toBe(nameWithType)
  })
})

it('a channel with a name is listed with its type', () => {
  const named = channel('slack', { name: 'Night shift', webhook_url_hint: '/xyz' })
  expect([getChannelName(named), describeChannel(named)]).toEqual(['Night shift', 'Night shift (Slack)'])
})
