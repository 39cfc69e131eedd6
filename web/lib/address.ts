/** What people type as an address, and what can be made of it. */

/** Nobody types https:// by hand; without it the server would not know what is meant. */
export function addScheme(text: string): string {
  const address = text.trim()
  const isBare = /^([\w-]+\.)+[\w-]+(:\d+)?([/?#]|$)|^localhost(:\d+)?([/?#]|$)|^\[[\da-f:.]+\]/i.test(address)
  return isBare ? `https://${address}` : address
}

/** A name for whoever has none in mind: the host. */
export function suggestMonitorName(text: string): string {
  const address = text.trim()
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  return (url?.hostname ?? '').replace(/^www\./, '').slice(0, 100)
}

/** The form of a monitor with its address filled in. */
export const newMonitorPath = (url: string) => `/monitors/new?url=${encodeURIComponent(url)}`

export const newMonitorPathForDomain = (domain: string) => newMonitorPath(`https://${domain}/`)
