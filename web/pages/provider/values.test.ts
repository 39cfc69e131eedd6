import { describe, expect, it } from 'vitest'
import type { Provider } from '../../lib/providers.ts'
import { diffProvider, emptyProviderFormValues, toProviderFormValues, toProviderInput } from './values.ts'

const slackProvider: Provider = {
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
    const fields = { webhook_url: ' https://hooks.example.com/x ', channel: ' ', recipient_email: 'ada@example.com' }
    expect(toProviderInput('slack', { ...emptyProviderFormValues, fields })).toEqual({
      provider_type: 'slack',
      assign_by_default: false,
      webhook_url: 'https://hooks.example.com/x',
    })
  })

  it('is sent with empty required fields, so that the server rejects them', () => {
    expect(toProviderInput('telegram', emptyProviderFormValues)).toMatchObject({ token: '', chat_id: '' })
  })
})

it.each(['+49 151 123-456 78', '+49 (0)151 / 12345678', '+49.151.12345678', ' [+49] 151–12345678'])(
  'accepts a phone number written as %j',
  (phone_number) => {
    const input = toProviderInput('sms', { ...emptyProviderFormValues, fields: { phone_number } })
    expect(input).toMatchObject({ phone_number: '+4915112345678' })
  },
)

describe('a changed channel', () => {
  const savedValues = toProviderFormValues(slackProvider)

  it('sends nothing if nothing changed', () => {
    expect(diffProvider(slackProvider, savedValues)).toEqual({})
  })

  it('sends null for optional fields that were emptied', () => {
    const fields = { ...savedValues.fields, channel: '' }
    expect(diffProvider(slackProvider, { ...savedValues, name: ' ', fields })).toEqual({ name: null, channel: null })
  })

  it('sends a secret only if a new one was typed', () => {
    const fields = { ...savedValues.fields, webhook_url: 'https://hooks.example.com/new' }
    expect(diffProvider(slackProvider, { ...savedValues, fields, assign_by_default: true })).toEqual({
      assign_by_default: true,
      webhook_url: 'https://hooks.example.com/new',
    })
  })

  it('sends an empty required field, so that the server rejects it', () => {
    const emailProvider: Provider = { ...slackProvider, provider_type: 'email', recipient_email: 'ops@example.com' }
    expect(
      diffProvider(emailProvider, { ...toProviderFormValues(emailProvider), fields: { recipient_email: '' } }),
    ).toEqual({
      recipient_email: '',
    })
  })
})
