/** The settings as a form holds them, and what of them has to be sent. */
import type { UpdateWebsite, WebsiteRecord } from '../../../src/websites/schema.ts'

export interface Values {
  favorite: boolean
  time_zone: string
  privacy: '0' | '1' | '2'
  password: string
  email: boolean
  exclude_bots: boolean
  exclude_params: string
  exclude_ips: string
}

export function valuesOf(website: WebsiteRecord): Values {
  return {
    favorite: website.favorite,
    time_zone: website.time_zone,
    privacy: `${website.privacy}`,
    password: '',
    email: website.email === 1,
    exclude_bots: website.exclude_bots === 1,
    exclude_params: website.exclude_params ?? '',
    exclude_ips: website.exclude_ips ?? '',
  }
}

/** Only what is different: whatever somebody else changed meanwhile stays. */
export function changesOf(website: WebsiteRecord, values: Values): UpdateWebsite {
  const before = valuesOf(website)
  const isChanged = (name: keyof Values) => values[name] !== before[name]
  return {
    ...(isChanged('favorite') && { favorite: values.favorite }),
    ...(isChanged('time_zone') && { time_zone: values.time_zone }),
    ...(isChanged('privacy') && { privacy: Number(values.privacy) as 0 | 1 | 2 }),
    ...(isChanged('password') && { password: values.password }),
    ...(isChanged('email') && { email: values.email ? 1 : 0 }),
    ...(isChanged('exclude_bots') && { exclude_bots: values.exclude_bots ? 1 : 0 }),
    ...(isChanged('exclude_params') && { exclude_params: values.exclude_params }),
    ...(isChanged('exclude_ips') && { exclude_ips: values.exclude_ips }),
  }
}

/** What was typed since stays; the rest goes from what it was to what it is. */
export function withUntouched(now: Values, before: Values, after: Values): Values {
  const typed = Object.entries(now).filter(([name, value]) => value !== before[name as keyof Values])
  return { ...after, ...Object.fromEntries(typed) }
}
