/** Notification channels, which the API calls providers: queries and display names. */
import { useQuery } from '@tanstack/preact-query'
import type { CreateChannel } from '../../src/channels/schema.ts'
import { api, type ItemResponse, type ListResponse } from './api.ts'
import { queryKeys } from './queries.ts'

export type ChannelType = CreateChannel['provider_type']

/**
 * A channel has only the fields of its type. The API masks secrets: it returns only their last characters, as `…_hint`.
 */
export interface Channel {
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

export const channelTypeLabels: Record<ChannelType, string> = {
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
const describeWebhook = ({ webhook_url_hint: hint }: Channel) => `…${hint}`

/** Where the messages of each type of channel go, such as an address, a phone number or the end of a secret URL. */
const destinations: Record<ChannelType, (channel: Channel) => string> = {
  email: ({ recipient_email }) => recipient_email ?? '',
  sms: ({ phone_number }) => phone_number ?? '',
  telegram: ({ chat_id }) => `chat ${chat_id}`,
  slack: (channel) => (channel.channel ? `${channel.channel} (${describeWebhook(channel)})` : describeWebhook(channel)),
  discord: describeWebhook,
  teams: describeWebhook,
  googlechat: describeWebhook,
  webhook: ({ url_hint: hint }) => `…${hint}`,
  ntfy: ({ server, topic }) => `${getHost(server)}/${topic}`,
  pushover: ({ user_key: key = '' }) => `user …${key.slice(-4)}`,
  gotify: ({ server }) => getHost(server),
  matrix: ({ room_id }) => room_id ?? '',
  pagerduty: ({ routing_key_hint: hint }) => `integration …${hint}`,
}

export const getChannelDestination = (channel: Channel) => destinations[channel.provider_type](channel)

/** The destinations of these types are recognized without the type. */
const typesNamedByDestination: readonly ChannelType[] = ['email', 'sms']

/** The channel's name. Without a name: its address or phone number, or the type with the destination, such as “Slack …/xyz”. */
export function getChannelName(channel: Channel): string {
  if (channel.name !== null) return channel.name
  const destination = getChannelDestination(channel)
  const type = channel.provider_type
  return typesNamedByDestination.includes(type) ? destination : `${channelTypeLabels[type]} ${destination}`
}

/** The name with the type, for lists without icons: “Night shift (Slack)” or “Slack …/xyz”. */
export function describeChannel(channel: Channel): string {
  const [name, label] = [getChannelName(channel), channelTypeLabels[channel.provider_type]]
  return name.startsWith(label) ? name : `${name} (${label})`
}

export function useChannels() {
  return useQuery({
    queryKey: queryKeys.channelList,
    queryFn: async ({ signal }) => (await api.get<ListResponse<Channel>>('api/providers', signal)).data,
  })
}

export function useChannel(id: number) {
  return useQuery({
    queryKey: queryKeys.channel(id),
    queryFn: async ({ signal }) => (await api.get<ItemResponse<Channel>>(`api/providers/${id}`, signal)).data,
  })
}
