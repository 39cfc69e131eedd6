/**
 * Resolves names for thousands of checks a second. The system's resolver blocks Node's four threads while a name server
 * is dead, so it is used last, for names that only the system knows, such as names in search domains and mDNS names.
 */
import { Resolver } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { BoundedMap } from '../lib/bounded-map.ts'
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { type ResolvedAddress, type ResolveHost, resolveWithSystem } from './guard.ts'
import { isNoSuchName, queryNameServers } from './name-servers.ts'

/** Timeout of the first attempt. Later attempts wait longer. */
const SERVER_TIMEOUT_MS = 1_500
const MAX_TRIES = 3

/** Leaves half of Node's threads for other work. */
const MAX_CONCURRENT_SYSTEM_LOOKUPS = 2
/** How long to remember a name that neither the name servers nor the system know. */
const UNKNOWN_NAME_TTL_MS = 60_000
/** A lookup that was queued for longer is skipped, because its caller has timed out. */
const MAX_QUEUE_TIME_MS = 30_000

export interface ResolverOptions {
  hostsFile?: string
  /** Addresses of name servers, with a port if it isn't 53. The default is the name servers of the machine. */
  servers?: string[]
  resolveWithSystem?: ResolveHost
}

export interface OpenResolver {
  resolve: ResolveHost
  close(): void
}

export function openResolver(options: ResolverOptions = {}): OpenResolver {
  const readHosts = cacheParsedFile(options.hostsFile ?? '/etc/hosts', parseHosts)
  const getDnsResolver =
    options.servers === undefined
      ? cacheParsedFile('/etc/resolv.conf', createDnsResolver)
      : createFixedDnsResolver(options.servers)
  const fallBackToSystem = createSystemFallback(options.resolveWithSystem ?? resolveWithSystem)
  const pendingLookups = new Map<string, Promise<ResolvedAddress[]>>()

  async function lookUp(name: string): Promise<ResolvedAddress[]> {
    const hostsFileAddresses = readHosts().get(name.replace(/\.$/, ''))
    if (hostsFileAddresses !== undefined) return hostsFileAddresses
    try {
      return await queryNameServers(getDnsResolver(), name)
    } catch (error) {
      if (!mayBeLocal(name, error as NodeJS.ErrnoException)) throw error
      return await fallBackToSystem(name, error as Error)
    }
  }

  return {
    resolve(host) {
      const name = host.toLowerCase()
      const pendingLookup = pendingLookups.get(name)
      if (pendingLookup !== undefined) return pendingLookup
      const lookup = lookUp(name).finally(() => pendingLookups.delete(name))
      pendingLookups.set(name, lookup)
      return lookup
    },
    close: () => getDnsResolver().cancel(),
  }
}

/**
 * Whether the system may know a name that could not be resolved with name servers: they don't know it, none is running
 * (the connection is refused), or it is a single-label name, for which name servers report various errors.
 */
function mayBeLocal(name: string, error: NodeJS.ErrnoException): boolean {
  if (isNoSuchName(error) || error.code === 'ECONNREFUSED') return true
  return !name.includes('.') && error.code !== 'ETIMEOUT'
}

/**
 * Returns a function that looks up a name with the system's resolver, for a few names at a time. Its argument `error`
 * is what the name servers reported. If the system doesn't know the name either, the function throws `error`.
 */
function createSystemFallback(resolve: ResolveHost): (name: string, error: Error) => Promise<ResolvedAddress[]> {
  const limiter = new ConcurrencyLimiter(MAX_CONCURRENT_SYSTEM_LOOKUPS)
  const lastUnknownAt = new BoundedMap<string, number>(10_000)
  return (name, error) => {
    const startedAt = performance.now()
    if (startedAt - (lastUnknownAt.get(name) ?? Number.NEGATIVE_INFINITY) < UNKNOWN_NAME_TTL_MS)
      return Promise.reject(error)
    return limiter.run(name, async () => {
      if (performance.now() - startedAt > MAX_QUEUE_TIME_MS) throw error
      try {
        const addresses = await resolve(name)
        lastUnknownAt.delete(name)
        return addresses
      } catch (failure) {
        if (!isNoSuchName(failure as Error)) throw failure
        lastUnknownAt.set(name, performance.now())
        throw error
      }
    })
  }
}

/** Returns the texts of a name's TXT records, or an empty list if there is no such name. Rejects if the name servers can't tell. */
export type ResolveTxt = (name: string) => Promise<string[]>

/** `servers` is as in `ResolverOptions`. */
export function openTxtResolver(servers?: string[]): ResolveTxt {
  const getDnsResolver =
    servers === undefined ? cacheParsedFile('/etc/resolv.conf', createDnsResolver) : createFixedDnsResolver(servers)
  return (name) =>
    new Promise((resolve, reject) => {
      getDnsResolver().resolveTxt(name, (error, records) => {
        if (error === null) resolve(records.map((chunks) => chunks.join('')))
        else if (isNoSuchName(error)) resolve([])
        else reject(error)
      })
    })
}

/** Returns a function that lists the name servers of the machine, as `address` or `address:port`. */
export function openNameServerList(): () => readonly string[] {
  return cacheParsedFile('/etc/resolv.conf', () => createDnsResolver().getServers())
}

/** Uses the name servers that the machine is configured with. */
function createDnsResolver(): Resolver {
  return new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: MAX_TRIES })
}

function createFixedDnsResolver(serverAddresses: string[]): () => Resolver {
  const resolver = createDnsResolver()
  resolver.setServers(serverAddresses)
  return () => resolver
}

const FILE_RECHECK_INTERVAL_MS = 1_000

/** Parses the file again when it changes. A missing or unreadable file counts as empty. */
function cacheParsedFile<T>(path: string, parse: (text: string) => T): () => T {
  let checkedAt = Number.NEGATIVE_INFINITY
  let version: string | undefined
  let parsedContents: T
  return () => {
    if (performance.now() - checkedAt < FILE_RECHECK_INTERVAL_MS) return parsedContents
    checkedAt = performance.now()
    const currentVersion = readFileVersion(path)
    if (currentVersion !== version) {
      parsedContents = parse(readText(path))
      version = currentVersion
    }
    return parsedContents
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readFileVersion(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}

/** Parses /etc/hosts. */
export function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address) as 0 | 4 | 6
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const addresses = hosts.get(key)
      if (addresses === undefined) hosts.set(key, [{ address, family }])
      else addresses.push({ address, family })
    }
  }
  return hosts
}
