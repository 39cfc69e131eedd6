/**
 * Looks up names for thousands of checks a second. The system does so on four threads, which one dead name server would
 * fill; so it is asked last, for what only the system knows: search domains, mDNS, whatever else is set up in it.
 */
import { Resolver as Servers } from 'node:dns'
import { BoundedMap } from '../lib/bounded-map.ts'
import { Turns } from '../lib/turns.ts'
import { askServers, isNoSuchName } from './ask-servers.ts'
import { freshFile } from './fresh-file.ts'
import { type Resolve, type ResolvedAddress, resolveBySystem } from './guard.ts'
import { parseHosts } from './hosts-file.ts'

/** For the first try; the others take longer. */
const SERVER_TIMEOUT_MS = 1_500
const TRIES = 3

/** Leaves half of Node's threads to everybody else. */
const SYSTEM_AT_ONCE = 2
/** What the system does not know either it is not asked again for a while. */
const SYSTEM_FORGETS_MS = 60_000
/** Whoever asked has given up by then. */
const SYSTEM_QUEUE_MS = 30_000

export interface ResolverOptions {
  hostsFile?: string
  /** Addresses of name servers, with ports where they are unusual; otherwise those of the machine. */
  servers?: string[]
  system?: Resolve
}

export interface OpenResolver {
  resolve: Resolve
  close(): void
}

export function openResolver(options: ResolverOptions = {}): OpenResolver {
  const hosts = freshFile(options.hostsFile ?? '/etc/hosts', parseHosts)
  const servers = options.servers === undefined ? freshFile('/etc/resolv.conf', makeServers) : fixed(options.servers)
  const askSystem = patiently(options.system ?? resolveBySystem)
  const underway = new Map<string, Promise<ResolvedAddress[]>>()

  async function find(name: string): Promise<ResolvedAddress[]> {
    const known = hosts().get(name.replace(/\.$/, ''))
    if (known !== undefined) return known
    try {
      return await askServers(servers(), name)
    } catch (error) {
      if (!mayBeLocal(name, error as NodeJS.ErrnoException)) throw error
      return await askSystem(name, error as Error)
    }
  }

  return {
    resolve(host) {
      const name = host.toLowerCase()
      const same = underway.get(name)
      if (same !== undefined) return same
      const answer = find(name).finally(() => underway.delete(name))
      underway.set(name, answer)
      return answer
    },
    close: () => servers().cancel(),
  }
}

/** Name servers answer all sorts of things about a name of one word, and nothing at all where there are none. */
function mayBeLocal(name: string, error: NodeJS.ErrnoException): boolean {
  if (isNoSuchName(error) || error.code === 'ECONNREFUSED') return true
  return !name.includes('.') && error.code !== 'ETIMEOUT'
}

/** A few at a time. `error`: what the name servers said, which counts where the system knows no more. */
function patiently(system: Resolve): (name: string, error: Error) => Promise<ResolvedAddress[]> {
  const turns = new Turns(SYSTEM_AT_ONCE)
  const unknown = new BoundedMap<string, number>(10_000)
  return (name, error) => {
    const askedAt = performance.now()
    if (askedAt - (unknown.get(name) ?? Number.NEGATIVE_INFINITY) < SYSTEM_FORGETS_MS) return Promise.reject(error)
    return turns.take(name, async () => {
      if (performance.now() - askedAt > SYSTEM_QUEUE_MS) throw error
      try {
        const found = await system(name)
        unknown.delete(name)
        return found
      } catch (failure) {
        if (!isNoSuchName(failure as Error)) throw failure
        unknown.set(name, performance.now())
        throw error
      }
    })
  }
}

/** Those of the machine, as they are now. */
function makeServers(): Servers {
  return new Servers({ timeout: SERVER_TIMEOUT_MS, tries: TRIES })
}

function fixed(addresses: string[]): () => Servers {
  const servers = makeServers()
  servers.setServers(addresses)
  return () => servers
}
