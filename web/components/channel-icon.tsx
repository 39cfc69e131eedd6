import type { LucideIcon } from 'lucide-preact'
import {
  BellRing,
  Brackets,
  Gamepad2,
  Hash,
  Mail,
  Megaphone,
  MessageSquareText,
  MessagesSquare,
  Send,
  Siren,
  Smartphone,
  UsersRound,
  Webhook,
} from 'lucide-preact'
import { type ChannelType, channelGroups } from '../lib/channels.ts'
import { IconTile } from './states.tsx'
import './channel-icon.css'

export const iconByChannelType: Record<ChannelType, LucideIcon> = {
  email: Mail,
  slack: Hash,
  telegram: Send,
  sms: MessageSquareText,
  webhook: Webhook,
  discord: Gamepad2,
  teams: UsersRound,
  googlechat: MessagesSquare,
  ntfy: BellRing,
  pushover: Smartphone,
  gotify: Megaphone,
  matrix: Brackets,
  pagerduty: Siren,
}

const getGroup = (type: ChannelType) => channelGroups.find(({ types }) => types.includes(type))?.name

export function ChannelIcon({ type }: { type: ChannelType }) {
  return (
    <span class={`channel-icon channel-${getGroup(type)}`}>
      <IconTile icon={iconByChannelType[type]} />
    </span>
  )
}
