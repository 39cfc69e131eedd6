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
  /** The last characters of the token, which is a secret. null if an optional token isn't set. */
  token_hint?: string | null
  phone_number?: string
  url_hint?: string
  secret_hint?: string | null
  /** Names of headers, with the last characters of their values. */
  headers?: Readonly<Record<string, string>>
  server?: string
  topic?: string
  user_key?: string
  homeserver?: string
  room_id?: string
  routing_key_hint?: string
}

export const providerTypeLabels: Record<ChannelType, string> = {
  email: 'Email',
  slack: 'Slack',
  telegram: 'Telegram',
  sms: 'SMS',
  webhook: 'Webhook',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  googlechat: 'Google Chat',
  ntfy: 'ntfy',
  pushover: 'Pushover',
  gotify: 'Gotify',
  matrix: 'Matrix',
  pagerduty: 'PagerDuty',
}

/** Types that reach people in a similar way. Each group has a color, see channel-icon.css. */
export const channelGroups: readonly { name: string; label: string; types: readonly ChannelType[] }[] = [
  { name: 'direct', label: 'Email and phone', types: ['email', 'sms'] },
  { name: 'chat', label: 'Chat', types: ['slack', 'teams', 'discord', 'googlechat', 'telegram', 'matrix'] },
  { name: 'push', label: 'Push notifications', types: ['ntfy', 'pushover', 'gotify'] },
  { name: 'automation', label: 'On-call and automation', types: ['pagerduty', 'webhook'] },
]

const getHost = (url = '') => URL.parse(url)?.host ?? url
const describeWebhook = ({ webhook_url_hint: hint }: Provider) => `Webhook …${hint}`

/** The address, channel, chat or number that receives the messages, of each type of channel. */
const destinations: Record<ChannelType, (provider: Provider) => string> = {
  email: ({ recipient_email }) => recipient_email ?? '',
  sms: ({ phone_number }) => phone_number ?? '',
  telegram: ({ chat_id }) => `Chat ${chat_id}`,
  slack: (provider) =>
    provider.channel ? `${provider.channel}, webhook …${provider.webhook_url_hint}` : describeWebhook(provider),
  discord: describeWebhook,
  teams: describeWebhook,
  googlechat: describeWebhook,
  webhook: ({ url_hint: hint }) => `Webhook …${hint}`,
  ntfy: ({ server, topic }) => `${getHost(server)}/${topic}`,
  pushover: ({ user_key: key = '' }) => `User …${key.slice(-4)}`,
  gotify: ({ server }) => getHost(server),
  matrix: ({ room_id }) => room_id ?? '',
  pagerduty: ({ routing_key_hint: hint }) => `Integration …${hint}`,
}

export const getProviderDestination = (provider: Provider) => destinations[provider.provider_type](provider)

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
