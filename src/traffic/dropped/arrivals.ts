/**
 * Decides which events explain to a waiting owner why the first visit is missing. An owner learns only about events
 * that name their website, or that come from a page of it or from the owner's address. An owner never learns about
 * other users' websites.
 */
import { parseDomain, parseNewDomain } from '../../websites/domain.ts'
import { findByDomain } from '../model/candidate-domains.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import type { ArrivalRecord, MissingVisitReason } from './schema.ts'

/** The page that waits for a first visit shows one line per arrival. */
const MAX_LINES = 5
/**
 * Anyone can send events with any domain. So events with an unknown domain get only this many lines, unless they come
 * from the owner's address.
 */
const MAX_UNKNOWN_FROM_OTHERS = 2

export interface RegisteredWebsite {
  id: number
  teamId: number
}

/** Equal page views of one address that were dropped, or were counted although their page is outside of the website's domain. */
export interface Arrival {
  /** Undefined if the events were counted. */
  dropReason: Exclude<DropReason, 'duplicate'> | undefined
  /** The website that the events name; undefined if there is none. */
  website: RegisteredWebsite | undefined
  /** The domain that the events name. */
  domain: string
  /** The host of the page. */
  host: string
  /** An HMAC, never the address itself. */
  address: string
  /** The line of the website's excluded IPs that contains the address. Empty if there is none. */
  exclusion: string
  count: number
}

export interface AwaitedWebsite extends RegisteredWebsite {
  /** The HMAC of the owner's address: the address from which the page that waits for the first visit is open. */
  address: string
}

export interface AttributedArrival {
  teamId: number
  websiteId: number
  reason: MissingVisitReason
  domain: string
  host: string
  exclusion: string
  isOwn: boolean
  count: number
}

/** `byDomain` holds every registered website that one of the hosts belongs to. */
export function attributeArrivals(
  arrivals: readonly Arrival[],
  awaitedWebsites: readonly AwaitedWebsite[],
  byDomain: ReadonlyMap<string, RegisteredWebsite>,
): AttributedArrival[] {
  const awaitedById = Map.groupBy(awaitedWebsites, ({ id }) => id)
  const awaitedByAddress = Map.groupBy(awaitedWebsites, ({ address }) => address)
  const mergedArrivals = new Map<string, AttributedArrival>()
  const attribute = (id: number, arrival: Arrival, reason: MissingVisitReason) => {
    const awaitedEntries = awaitedById.get(id)
    if (awaitedEntries === undefined) return
    const isOwn = awaitedEntries.some(({ address }) => address === arrival.address)
    const attributedArrival = toAttributedArrival(awaitedEntries[0] as AwaitedWebsite, arrival, reason, isOwn)
    if (attributedArrival !== undefined) merge(mergedArrivals, attributedArrival)
  }
  for (const arrival of arrivals) {
    const { website, dropReason } = arrival
    const hostWebsite = findByDomain(byDomain, arrival.host)
    if (website !== undefined) {
      attribute(website.id, arrival, (dropReason ?? 'other_host') as MissingVisitReason)
      const isOfSameOwner = hostWebsite?.teamId === website.teamId && hostWebsite.id !== website.id
      if (dropReason === undefined && isOfSameOwner) attribute(hostWebsite.id, arrival, 'other_website')
    } else if (hostWebsite !== undefined && awaitedById.has(hostWebsite.id)) {
      attribute(hostWebsite.id, arrival, 'unknown_site')
    } else {
      for (const { id, teamId } of awaitedByAddress.get(arrival.address) ?? []) {
        if (hostWebsite === undefined || hostWebsite.teamId === teamId) attribute(id, arrival, 'unknown_site')
      }
    }
  }
  return [...mergedArrivals.values()]
}

/**
 * Keeps only the fields that the reason needs. Returns undefined if the events name something that can't be a domain,
 * unless they come from the owner's address.
 */
function toAttributedArrival(
  { id: websiteId, teamId }: AwaitedWebsite,
  { domain, host, exclusion, count }: Arrival,
  reason: MissingVisitReason,
  isOwn: boolean,
): AttributedArrival | undefined {
  if (reason === 'unknown_site' && !isOwn && 'errors' in parseDomain(domain)) return undefined
  const namesDomain = reason === 'unknown_site' || reason === 'other_website'
  const namesHost = namesDomain || reason === 'other_host'
  return {
    teamId,
    websiteId,
    reason,
    domain: namesDomain ? domain : '',
    host: namesHost ? host : '',
    exclusion,
    isOwn,
    count,
  }
}

function merge(mergedArrivals: Map<string, AttributedArrival>, arrival: AttributedArrival): void {
  const { websiteId, reason, domain, host, exclusion } = arrival
  const key = JSON.stringify([websiteId, reason, domain, host, exclusion])
  const existingArrival = mergedArrivals.get(key)
  if (existingArrival === undefined) {
    mergedArrivals.set(key, arrival)
    return
  }
  existingArrival.count += arrival.count
  existingArrival.isOwn ||= arrival.isOwn
}

/** `rows` must be sorted: those from the owner's address first, then the newest. */
export function chooseArrivals(rows: readonly Omit<ArrivalRecord, 'suggested_domain'>[]): ArrivalRecord[] {
  let unknownFromOthers = 0
  return rows
    .filter(({ reason, is_own }) => {
      if (reason !== 'unknown_site' || is_own) return true
      unknownFromOthers += 1
      return unknownFromOthers <= MAX_UNKNOWN_FROM_OTHERS
    })
    .slice(0, MAX_LINES)
    .map((row) => ({ ...row, suggested_domain: suggestDomain(row) }))
}

/** The domain that the owner could add as another website. */
function suggestDomain({ reason, domain, host }: Omit<ArrivalRecord, 'suggested_domain'>): string | null {
  const text = reason === 'unknown_site' ? domain : reason === 'other_host' ? host : null
  const result = text === null ? undefined : parseNewDomain(text)
  return result === undefined || 'errors' in result ? null : result.value.domain
}
