/** What is found out about a user agent, remembered: few of them make most of the traffic. */
import { BoundedMap } from '../../lib/bounded-map.ts'

/** Real ones have 100 to 300 characters. */
const AGENT_MOST = 1_000
const KNOWN_MOST = 4_000

/** Longer ones are cut, and never remembered: a cut text would keep the whole one in memory. */
export function perAgent<T extends object | boolean>(read: (userAgent: string) => T): (userAgent: string) => T {
  const known = new BoundedMap<string, T>(KNOWN_MOST)
  return (userAgent) => {
    if (userAgent.length > AGENT_MOST) return read(userAgent.slice(0, AGENT_MOST))
    const found = known.get(userAgent)
    if (found !== undefined) return found
    const result = read(userAgent)
    known.set(userAgent, result)
    return result
  }
}
