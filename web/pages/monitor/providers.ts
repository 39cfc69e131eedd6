/** How a provider is called where it has no name of its own. */
import type { AlertRecord } from '../../../src/alerts/schema.ts'

export type ProviderType = AlertRecord['provider_type']

/** What this page knows of them. */
export interface Provider {
  id: number
  provider_type: ProviderType
  name: string | null
  failure: string | null
  recipient_email?: string
  channel?: string | null
  chat_id?: string
  phone_number?: string
}

export const typeWords: Record<ProviderType, string> = {
  email: 'E-mail',
  slack: 'Slack',
  telegram: 'Telegram',
  sms: 'SMS',
}

export function nameOf(provider: Provider): string {
  const { name, recipient_email, channel, chat_id, phone_number } = provider
  return name ?? recipient_email ?? channel ?? chat_id ?? phone_number ?? typeWords[provider.provider_type]
}
