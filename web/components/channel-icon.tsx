import {
  BellRing,
  type LucideIcon,
  type LucideProps,
  Mail,
  Megaphone,
  MessageSquareText,
  Smartphone,
  Webhook,
} from 'lucide-preact'
import { channelLogos } from '../lib/channel-logos.ts'
import { type ChannelType, channelGroups } from '../lib/channels.ts'
import { toLogoFile } from '../lib/logos.ts'
import { Icon } from './icon.tsx'
import { LogoImage } from './logo-image.tsx'
import { IconTile } from './states.tsx'
import './channel-icon.css'

/** Wraps a logo as an icon, so that components with an `icon` property can show it. */
function createLogoIcon(entry: string): LucideIcon {
  const file = toLogoFile(entry)
  return ({ size }: LucideProps) => {
    const pixels = Number(size ?? 16)
    return <LogoImage file={file} size={pixels} fallback={<Icon icon={BellRing} size={pixels} />} />
  }
}

export const iconByChannelType: Record<ChannelType, LucideIcon> = {
  email: Mail,
  slack: createLogoIcon(channelLogos.slack),
  telegram: createLogoIcon(channelLogos.telegram),
  sms: MessageSquareText,
  webhook: Webhook,
  discord: createLogoIcon(channelLogos.discord),
  teams: createLogoIcon(channelLogos.teams),
  googlechat: createLogoIcon(channelLogos.googlechat),
  ntfy: createLogoIcon(channelLogos.ntfy),
  pushover: Smartphone,
  gotify: Megaphone,
  matrix: createLogoIcon(channelLogos.matrix),
  pagerduty: createLogoIcon(channelLogos.pagerduty),
}

const getGroup = (type: ChannelType) => channelGroups.find(({ types }) => types.includes(type))?.name

export function ChannelIcon({ type }: { type: ChannelType }) {
  const kind = type in channelLogos ? 'channel-logo' : `channel-${getGroup(type)}`
  return (
    <span class={`channel-icon ${kind}`}>
      <IconTile icon={iconByChannelType[type]} />
    </span>
  )
}
