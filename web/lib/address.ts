/** Completes and shortens URLs and hosts that users type. */
import { MAX_MONITOR_NAME_LENGTH } from '../../src/shared/monitors.ts'

/** Users often leave out https://, but the server accepts only complete URLs. */
export function addScheme(text: string): string {
  const address = text.trim()
  const isUrlWithoutScheme = /^([\w-]+\.)+[\w-]+(:\d+)?([/?#]|$)|^localhost(:\d+)?([/?#]|$)|^\[[\da-f:.]+\]/i.test(
    address,
  )
  return isUrlWithoutScheme ? `https://${address}` : address
}

/** Default name of a monitor: its host. */
export function suggestMonitorName(text: string): string {
  const address = text.trim()
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  return (url?.hostname ?? '').replace(/^www\./, '').slice(0, MAX_MONITOR_NAME_LENGTH)
}

/** Path of the form for a new monitor, with the URL filled in. */
export const buildNewMonitorPath = (url: string) => `/monitors/new?url=${encodeURIComponent(url)}`

export const buildNewMonitorPathForDomain = (domain: string) => buildNewMonitorPath(`https://${domain}/`)
