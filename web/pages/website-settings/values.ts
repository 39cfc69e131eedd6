/** Converts between the API record of a website and the values of the settings form. */
import type { UpdateWebsite, WebsiteRecord } from '../../../src/websites/schema.ts'

export interface SettingsValues {
  favorite: boolean
  time_zone: string
  tags: readonly string[]
  privacy: '0' | '1' | '2'
  password: string
  /** Whether to send the weekly report by email. */
  email: boolean
  exclude_bots: boolean
  exclude_params: string
  exclude_ips: string
  watch_traffic: boolean
  watch_spikes: boolean
  silence_alarms_a_year: number
  quiet_days: readonly string[]
  /** The code of the country whose public holidays count as quiet days. */
  holidays: string | null
}

export function toSettingsValues(website: WebsiteRecord): SettingsValues {
  return {
    favorite: website.favorite,
    time_zone: website.time_zone,
    tags: website.tags,
    privacy: `${website.privacy}`,
    password: '',
    email: website.email === 1,
    exclude_bots: website.exclude_bots === 1,
    exclude_params: website.exclude_params ?? '',
    exclude_ips: website.exclude_ips ?? '',
    watch_traffic: website.watch_traffic,
    watch_spikes: website.watch_spikes,
    silence_alarms_a_year: website.silence_alarms_a_year,
    quiet_days: website.quiet_days,
    holidays: website.holidays,
  }
}

const isSame = (a: SettingsValues[keyof SettingsValues], b: SettingsValues[keyof SettingsValues]) =>
  JSON.stringify(a) === JSON.stringify(b)

/**
 * Returns only the changed fields, so that saving doesn't overwrite changes that another tab or API client has made.
 */
export function pickChangedFields(website: WebsiteRecord, values: SettingsValues): UpdateWebsite {
  const before = toSettingsValues(website)
  const isChanged = (name: keyof SettingsValues) => !isSame(values[name], before[name])
  return {
    ...(isChanged('favorite') && { favorite: values.favorite }),
    ...(isChanged('time_zone') && { time_zone: values.time_zone }),
    ...(isChanged('tags') && { tags: [...values.tags] }),
    ...(isChanged('privacy') && { privacy: Number(values.privacy) as 0 | 1 | 2 }),
    ...(isChanged('password') && { password: values.password }),
    ...(isChanged('email') && { email: values.email ? 1 : 0 }),
    ...(isChanged('exclude_bots') && { exclude_bots: values.exclude_bots ? 1 : 0 }),
    ...(isChanged('exclude_params') && { exclude_params: values.exclude_params }),
    ...(isChanged('exclude_ips') && { exclude_ips: values.exclude_ips }),
    ...(isChanged('watch_traffic') && { watch_traffic: values.watch_traffic }),
    ...(isChanged('watch_spikes') && { watch_spikes: values.watch_spikes }),
    ...(isChanged('silence_alarms_a_year') && { silence_alarms_a_year: values.silence_alarms_a_year }),
    ...(isChanged('quiet_days') && { quiet_days: [...values.quiet_days] }),
    ...(isChanged('holidays') && { holidays: values.holidays }),
  }
}

/** Returns `after`, but keeps the fields of `current` that the user has edited since `before`. */
export function keepEdits(current: SettingsValues, before: SettingsValues, after: SettingsValues): SettingsValues {
  const edits = Object.entries(current).filter(([name, value]) => !isSame(value, before[name as keyof SettingsValues]))
  return { ...after, ...Object.fromEntries(edits) }
}
