/** Providers as pages ask for them, and what people call them. */
import { useQuery } from '@tanstack/preact-query'
import type { CreateProvider } from '../../src/providers/schema.ts'
import { api, type ListResponse, type ItemResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export type ProviderType = CreateProvider['provider_type']

/** With the fields of its kind; of a secret only its end. */
export interface Provider {
  id: number
  provider_type: ProviderType
  name: string | null
  assign_by_default: boolean
  failure: string | null
  failed_at: string | null
  recipient_email?: string
  webhook_url_hint?: string
  channel?: string | null
  username?: string | null
  chat_id?: string
  token_hint?: string
  phone_number?: string
}

export const providerTypeLabels: Record<ProviderType, string> = {
  email: 'E-mail',
  slack: 'Slack',
  telegram: 'Telegram',
  sms: 'SMS',
}

/** Where its messages go. */
export function getProviderDestination(provider: Provider): string {
  const { provider_type: type, channel, webhook_url_hint: hint } = provider
  if (type === 'email') return provider.recipient_email ?? ''
  if (type === 'sms') return provider.phone_number ?? ''
  if (type === 'telegram') return `Chat ${provider.chat_id}`
  return channel ? `${channel}, webhook …${hint}` : `Webhook …${hint}`
}

/** The same everywhere; its kind is said beside it. */
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
