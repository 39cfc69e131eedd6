/** Notification channels, which the API calls providers: queries and display names. */
import { useQuery } from '@tanstack/preact-query'
import type { CreateProvider } from '../../src/providers/schema.ts'
import { api, type ItemResponse, type ListResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export type ChannelType = CreateProvider['provider_type']

/** Contains only the fields of its type. The API masks secrets: it returns only their last characters, as `…_hint`. */
export interface Provider {
  id: number
  provider_type: ChannelType
  name: string | null
  assign_by_default: boolean
  failure: string | null
  failed_at: string | null
  recipient_email?: string
  /** The last characters of the webhook URL, which is a secret. */
  webhook_url_hint?: string
  channel?: string | null
  username?: string | null
  chat_id?: string
  /** The last characters of the bot's token, which is a secret. */
  token_hint?: string
  phone_number?: string
}

export const providerTypeLabels: Record<ChannelType, string> = {
  email: 'Email',
  slack: 'Slack',
  telegram: 'Telegram',
  sms: 'SMS',
}

/** The address, channel, chat or number that receives the messages. */
export function getProviderDestination(provider: Provider): string {
  const { provider_type: type, channel, webhook_url_hint: hint } = provider
  if (type === 'email') return provider.recipient_email ?? ''
  if (type === 'sms') return provider.phone_number ?? ''
  if (type === 'telegram') return `Chat ${provider.chat_id}`
  return channel ? `${channel}, webhook …${hint}` : `Webhook …${hint}`
}

/** The channel's name, or its destination if it has no name. */
export const getProviderName = (provider: Provider) => provider.name ?? getProviderDestination(provider)

export function useProviders() {
  return useQuery({
    queryKey: queryKeys.providerList,
    queryFn: async ({ signal }) => (await api.get<ListResponse<Provider>>('api/providers', signal)).data,
  })
}

export function useProvider(id: number) {
  return useQuery({
    queryKey: queryKeys.provider(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<Provider>>(`api/providers/${id}`, signal)).data,
  })
}
