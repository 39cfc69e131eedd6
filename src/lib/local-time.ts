/** Formats moments as local time with the name of the time zone, for people who may read them in another zone. */

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** "5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)" or "… UTC". The offset is needed when clocks go back and show 2:30 twice. */
export function formatLocalTime(at: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone)
  const clockTime = local.toPlainTime().toString({ smallestUnit: 'second' })
  const time = `${local.day} ${months[local.month - 1]} ${local.year}, ${clockTime}`
  return zone === 'UTC' ? `${time} UTC` : `${time} (${zone}, ${formatUtcOffset(local.offset)})`
}

/** "UTC+1", "UTC−3:30", or "UTC" if the offset is zero. */
export function formatUtcOffset(offset: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(offset) ?? []
  if (hours === '00' && minutes === '00') return 'UTC'
  return `UTC${sign === '-' ? '−' : '+'}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`
}
