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
import type { ChannelType } from '../lib/providers.ts'
import { IconTile } from './states.tsx'

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

export const ChannelIcon = ({ type }: { type: ChannelType }) => <IconTile icon={iconByChannelType[type]} />
