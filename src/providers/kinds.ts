/** Every kind of provider. */
import { email } from './kinds/email.ts'
import { slack } from './kinds/slack.ts'
import { sms } from './kinds/sms.ts'
import { telegram } from './kinds/telegram.ts'
import type { ProviderKind } from './provider.ts'

export const providerKinds = { email, slack, telegram, sms } as const satisfies Record<string, ProviderKind>

export type ProviderType = keyof typeof providerKinds
export const providerTypes = Object.keys(providerKinds) as ProviderType[]

export const getProviderKind = (type: ProviderType): ProviderKind => providerKinds[type]
