/** Every kind of channel. */

import type { ChannelKind } from './common/channel.ts'
import { discord } from './kinds/discord.ts'
import { email } from './kinds/email.ts'
import { googlechat } from './kinds/googlechat.ts'
import { gotify } from './kinds/gotify.ts'
import { matrix } from './kinds/matrix.ts'
import { ntfy } from './kinds/ntfy.ts'
import { pagerduty } from './kinds/pagerduty.ts'
import { pushover } from './kinds/pushover.ts'
import { slack } from './kinds/slack.ts'
import { sms } from './kinds/sms.ts'
import { teams } from './kinds/teams.ts'
import { telegram } from './kinds/telegram.ts'
import { webhook } from './kinds/webhook.ts'

export const channelKinds = {
  email,
  slack,
  telegram,
  sms,
  webhook,
  discord,
  teams,
  googlechat,
  ntfy,
  pushover,
  gotify,
  matrix,
  pagerduty,
} as const satisfies Record<string, ChannelKind>

export type ChannelType = keyof typeof channelKinds
export const channelTypes = Object.keys(channelKinds) as ChannelType[]

export const getChannelKind = (type: ChannelType): ChannelKind => channelKinds[type]
