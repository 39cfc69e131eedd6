/** Choices for a time zone. Contains `current` even if the browser doesn't know it. */
export function listTimeZoneChoices(current: string) {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(current === '' ? [] : [current])])
  return [...zones].sort().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
