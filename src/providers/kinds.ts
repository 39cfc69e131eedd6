/** Every kind of provider. */
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
import type { ProviderKind } from './provider.ts'

export const providerKinds = {
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
} as const satisfies Record<string, ProviderKind>

export type ProviderType = keyof typeof providerKinds
export const providerTypes = Object.keys(providerKinds) as ProviderType[]

const typesOfFirstRelease: readonly ProviderType[] = ['email', 'slack', 'telegram', 'sms']
/** Nodes of every version know these types. */
export const isInFirstRelease = (type: ProviderType) => typesOfFirstRelease.includes(type)

export const getProviderKind = (type: ProviderType): ProviderKind => providerKinds[type]
