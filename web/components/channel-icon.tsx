import type { LucideIcon } from 'lucide-preact'
import { Hash, Mail, MessageSquareText, Send } from 'lucide-preact'
import type { ChannelType } from '../lib/providers.ts'
import { IconTile } from './states.tsx'

export const iconByChannelType: Record<ChannelType, LucideIcon> = {
  email: Mail,
  slack: Hash,
  telegram: Send,
  sms: MessageSquareText,
}

export const ChannelIcon = ({ type }: { type: ChannelType }) => <IconTile icon={iconByChannelType[type]} />
