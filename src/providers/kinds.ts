/** Every kind of provider, on one screen. */
import { email } from './kinds/email.ts'
import { slack } from './kinds/slack.ts'
import { sms } from './kinds/sms.ts'
import { telegram } from './kinds/telegram.ts'
import type { Kind } from './provider.ts'

export const kinds = { email, slack, telegram, sms } as const satisfies Record<string, Kind>

export type ProviderType = keyof typeof kinds
export const providerTypes = Object.keys(kinds) as ProviderType[]

export const kindOf = (type: ProviderType): Kind => kinds[type]
