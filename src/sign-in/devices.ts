/** Describes the devices and places of sessions, with the parsers that statistics use. */
import type { Logger } from 'pino'
import { loadGeolocation } from '../traffic/collect/geolocation/geolocation.ts'
import { loadUserAgentParser } from '../traffic/collect/user-agent/user-agent.ts'

interface Client {
  user_agent: string | null
  address: string | null
}

export interface Device {
  /** `Firefox on Linux`; null if the user agent names no known browser or system. */
  device: string | null
  /** A country code; null if unknown. */
  place: string | null
}

/** Nobody looks at sessions often, so the parsers and the database of countries don't stay in memory. */
export async function describeDevices<T extends Client>(clients: readonly T[], log: Logger): Promise<(T & Device)[]> {
  const [parseUserAgent, locateIp] = await Promise.all([loadUserAgentParser(), loadGeolocation(undefined, log)])
  return clients.map((client) => {
    const { browser, os } = parseUserAgent(client.user_agent ?? '')
    const names = [browser, os === 'GNU/Linux' ? 'Linux' : os].filter((name) => name !== undefined)
    return {
      ...client,
      device: names.length > 0 ? names.join(' on ') : null,
      place: locateIp(client.address ?? '').country ?? null,
    }
  })
}
