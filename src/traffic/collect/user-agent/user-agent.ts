/** Parses the user agent's browser, operating system and device. Omits versions, which would split each browser into many rows. */
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { browserNames, osNames, userAgentOverrides } from './user-agent-names.ts'

export interface UserAgentDetails {
  browser?: string
  os?: string
  device?: string
}

export type ParseUserAgent = (userAgent: string) => UserAgentDetails

/**
 * Loads bowser, which needs about 20 µs for a user agent that is not in the cache. `EventIntake` calls this when the first
 * event arrives.
 */
export async function loadUserAgentParser(): Promise<ParseUserAgent> {
  const { getParser } = await import('bowser')
  return cacheByUserAgent((userAgent) => {
    // bowser treats every mention of Yahoo as a crawler, even the news app of Yahoo Japan. It rejects an empty string.
    const parser = getParser(userAgent.replace(/yahoo(?!! slurp)/gi, '') || '-', true)
    const override = userAgentOverrides.find(([pattern]) => pattern.test(userAgent))?.[1]
    const os = override?.os ?? osNames.get(parser.getOSName())
    return omitUndefined({
      browser: browserNames.get(parser.getBrowserName()),
      os,
      device: override?.device ?? classifyDevice(parser.getPlatformType(), os, userAgent),
    })
  })
}

const devices = new Set(['desktop', 'mobile', 'tablet', 'tv'])

function classifyDevice(platform: string, os: string | undefined, userAgent: string): string | undefined {
  // bowser treats every device of some manufacturers as a phone. Android phones send "Mobile", and tablets don't.
  if (os === 'Android' && platform === 'mobile' && !/mobi/i.test(userAgent)) return 'tablet'
  return devices.has(platform) ? platform : undefined
}

function omitUndefined(details: { [K in keyof UserAgentDetails]: UserAgentDetails[K] | undefined }): UserAgentDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
}

/** Real user agents have 100 to 300 characters. */
const MAX_USER_AGENT_LENGTH = 1_000
const MAX_CACHED_USER_AGENTS = 4_000

/**
 * Caches results, because a few user agents account for most of the traffic. User agents that exceed the length limit are
 * truncated and not cached: V8 keeps a whole string in memory for as long as a slice of it lives.
 */
export function cacheByUserAgent<T extends object | boolean>(
  parse: (userAgent: string) => T,
): (userAgent: string) => T {
  const cache = new BoundedMap<string, T>(MAX_CACHED_USER_AGENTS)
  return (userAgent) => {
    if (userAgent.length > MAX_USER_AGENT_LENGTH) return parse(userAgent.slice(0, MAX_USER_AGENT_LENGTH))
    const cached = cache.get(userAgent)
    if (cached !== undefined) return cached
    const result = parse(userAgent)
    cache.set(userAgent, result)
    return result
  }
}
