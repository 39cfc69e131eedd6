/**
 * Records events that explain to a waiting owner why the first visit is missing. It collects events in memory for about
 * a second. So it asks the database only once per second whether any owner waits, however many events arrive.
 */
import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import type { Secret } from '../../lib/secret.ts'
import { MAX_DOMAIN_LENGTH } from '../../shared/websites.ts'
import type { Database } from '../../storage/database.ts'
import { listCandidateDomains } from '../model/candidate-domains.ts'
import { addArrivals, findRegisteredWebsites, listAwaitedWebsites } from './arrival-store.ts'
import { type Arrival, attributeArrivals } from './arrivals.ts'
import { DelayedSave } from './delayed-save.ts'

/** Limits the memory and the work per second. Events beyond this limit don't appear in the hints. */
const MAX_ARRIVALS_IN_MEMORY = 1_000

/** A page view that was dropped, or that was counted although its host is not that of the website. */
export interface ObservedEvent extends Pick<Arrival, 'dropReason' | 'website' | 'domain' | 'host'> {
  clientIp: string
  /** Set only for events that were dropped because their IP address is excluded. */
  findExclusion?: () => string
}

interface Deps {
  clock: Clock
  db: Database
  log: Logger
  secret: Secret
}

/** Returns the same HMAC for all addresses that rate limits treat as one client. */
export function hashClientAddress(secret: Secret, address: string): Buffer {
  return hashNetwork(secret, toClientNetwork(address))
}

const hashNetwork = (secret: Secret, network: string) => secret.hmac('addresses', `waiting ${network}`)

/**
 * An arrival in memory. `#save` replaces the network with its HMAC, but only if an owner waits for a first visit, which
 * is rare.
 */
interface RecentArrival extends Omit<Arrival, 'address'> {
  network: string
}

export class ArrivalRecorder {
  readonly #deps: Deps
  #arrivals = new Map<string, RecentArrival>()
  readonly #delayedSave = new DelayedSave({ save: () => this.#save(), hasUnsaved: () => this.#arrivals.size > 0 })

  constructor(deps: Deps) {
    this.#deps = deps
  }

  add({ dropReason, website, domain, host, clientIp, findExclusion }: ObservedEvent): void {
    const network = toClientNetwork(clientIp)
    const key = JSON.stringify([website?.id ?? domain, dropReason, host, network])
    const arrival = this.#arrivals.get(key)
    if (arrival !== undefined) {
      arrival.count += 1
    } else if (this.#arrivals.size < MAX_ARRIVALS_IN_MEMORY) {
      this.#arrivals.set(key, {
        dropReason,
        website,
        domain: domain.slice(0, MAX_DOMAIN_LENGTH).toWellFormed(),
        host: host.slice(0, MAX_DOMAIN_LENGTH),
        network,
        exclusion: findExclusion?.() ?? '',
        count: 1,
      })
    }
    this.#delayedSave.schedule()
  }

  async stop(): Promise<void> {
    await this.#delayedSave.stop()
  }

  /** If saving fails, the arrivals are lost. They are hints, not counts. */
  async #save(): Promise<void> {
    const { clock, db, log, secret } = this.#deps
    const recentArrivals = [...this.#arrivals.values()]
    this.#arrivals = new Map()
    const now = clock.now()
    try {
      const awaitedWebsites = await listAwaitedWebsites(db, now)
      if (awaitedWebsites.length === 0) return
      const arrivals = recentArrivals.map(({ network, ...arrival }) => ({
        ...arrival,
        address: hashNetwork(secret, network).toString('base64'),
      }))
      const hosts = new Set(arrivals.map(({ host }) => host))
      const byDomain = await findRegisteredWebsites(db, [...new Set([...hosts].flatMap(listCandidateDomains))])
      const attributedArrivals = attributeArrivals(arrivals, awaitedWebsites, byDomain)
      if (attributedArrivals.length > 0) await db.transaction((q) => addArrivals(q, attributedArrivals, now))
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'could not record why the first visits of websites are missing')
    }
  }
}
