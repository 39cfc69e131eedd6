import { describe, expect, it } from 'vitest'
import type { Provider } from '../../lib/providers.ts'
import { changesOf, inputOf, newValues, valuesOf } from './values.ts'

const slack: Provider = {
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

describe('a new provider', () => {
  it('is sent with the fields of its kind, and without empty ones that are optional', () => {
    const fields = { webhook_url: ' https://hooks.example.com/x ', channel: ' ', recipient_email: 'ada@example.com' }
    expect(inputOf('slack', { ...newValues, fields })).toEqual({
      provider_type: 'slack',
      assign_by_default: false,
      webhook_url: 'https://hooks.example.com/x',
    })
  })

  it('sends what is required even if it is empty, so that the server says so', () => {
    expect(inputOf('telegram', newValues)).toMatchObject({ token: '', chat_id: '' })
  })
})

it.each(['+49 151 123-456 78', '+49 (0)151 / 12345678', '+49.151.12345678', ' [+49] 151–12345678'])(
  'a phone number may be written as %j',
  (phone_number) => {
    const sent = inputOf('sms', { ...newValues, fields: { phone_number } })
    expect(sent).toMatchObject({ phone_number: '+4915112345678' })
  },
)

describe('a change', () => {
  const before = valuesOf(slack)

  it('is nothing where nothing was changed', () => {
    expect(changesOf(slack, before)).toEqual({})
  })

  it('empties what is optional', () => {
    const fields = { ...before.fields, channel: '' }
    expect(changesOf(slack, { ...before, name: ' ', fields })).toEqual({ name: null, channel: null })
  })

  it('has a secret only where one was typed', () => {
    const fields = { ...before.fields, webhook_url: 'https://hooks.example.com/new' }
    expect(changesOf(slack, { ...before, fields, assign_by_default: true })).toEqual({
      assign_by_default: true,
      webhook_url: 'https://hooks.example.com/new',
    })
  })

  it('empties nothing that is required without saying so', () => {
    const mail: Provider = { ...slack, provider_type: 'email', recipient_email: 'ops@example.com' }
    expect(changesOf(mail, { ...valuesOf(mail), fields: { recipient_email: '' } })).toEqual({ recipient_email: '' })
  })
})
