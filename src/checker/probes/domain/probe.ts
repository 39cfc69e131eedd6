/**
 * Checks when the registration of a domain expires. A registry that can't be reached or limits our requests says nothing about
 * the domain, so the check is then inconclusive and repeated later.
 */
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { addMs, waitAtMost } from '../../../lib/clock.ts'
import { formatLongDate } from '../../../lib/format.ts'
import { findRdapServer } from '../../../rdap/servers.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/time.ts'
import { createFailure } from '../failure.ts'
import {
  type CheckFailure,
  type DomainTarget,
  type Inconclusive,
  noTimings,
  type Probe,
  type ProbeResult,
  type Unsupported,
} from '../probe.ts'
import { type RdapAnswer, RdapClient, type RdapClientOptions } from './client.ts'
import type { DomainRegistration } from './registration.ts'

/** How long an answer about a domain is cached. All users who monitor the domain share it. */
const ANSWER_LIFETIME_MS = HOUR_MS
/**
 * How long a failure is cached. This is shorter than the default time between retries, so that a retry asks the
 * registry again.
 */
const FAILURE_LIFETIME_MS = 3 * SECOND_MS
const MAX_CACHED_ANSWERS = 10_000
/**
 * Minimum delay after a check that got no answer before its timeout, because it had to wait for its turn or the server
 * was slow. The actual delay is random, up to twice this long, to spread the checks.
 */
const TIMEOUT_RETRY_MS = MINUTE_MS

interface CachedAnswer {
  answer: RdapAnswer
  expiresAt: Date
}

export function openDomainProbe(options: RdapClientOptions): Probe<DomainTarget> {
  const { clock, operatorUrl } = options
  const client = new RdapClient(options)
  const cache = new BoundedMap<string, CachedAnswer>(MAX_CACHED_ANSWERS)
  const runningLookups = new Map<string, ReturnType<RdapClient['ask']>>()

  async function lookUp(domain: string, server: string, teamId: number): ReturnType<RdapClient['ask']> {
    const answer = await client.ask(domain, server, teamId)
    if (!('inconclusive' in answer)) {
      const { failure } = judgeRegistration(domain, answer.registration, clock.now())
      const lifetimeMs = failure === null ? ANSWER_LIFETIME_MS : FAILURE_LIFETIME_MS
      cache.set(domain, { answer, expiresAt: addMs(clock.now(), lifetimeMs) })
    }
    return answer
  }

  function toResult(domain: string, { registration, responseMs }: RdapAnswer, isCached: boolean): ProbeResult {
    const { failure, note } = judgeRegistration(domain, registration, clock.now())
    return {
      failure,
      note,
      responseMs: isCached ? null : responseMs,
      timings: noTimings,
      httpStatus: null,
      expiresAt: registration?.expiresAt ?? null,
      packetLoss: null,
      address: null,
      // A cached response doesn't show that our own network is up now.
      responded: !isCached,
    }
  }

  async function check(target: DomainTarget): Promise<ProbeResult | Inconclusive | Unsupported> {
    const { url: domain, teamId, timeoutMs } = target
    const server = findRdapServer(domain, operatorUrl)
    if (server === undefined) return { unsupported: `The registry of ${domain} offers no RDAP` }
    const cachedAnswer = cache.get(domain)
    if (cachedAnswer !== undefined && cachedAnswer.expiresAt > clock.now())
      return toResult(domain, cachedAnswer.answer, true)
    const runningLookup = runningLookups.get(domain)
    const lookup = runningLookup ?? lookUp(domain, server, teamId).finally(() => runningLookups.delete(domain))
    runningLookups.set(domain, lookup)
    const answer = await waitAtMost(timeoutMs, lookup)
    if (answer === undefined) {
      const retryAfterMs = Math.round(TIMEOUT_RETRY_MS * (1 + Math.random()))
      return { inconclusive: `The RDAP server ${new URL(server).host} did not respond in time`, retryAfterMs }
    }
    return 'inconclusive' in answer ? answer : toResult(domain, answer, runningLookup !== undefined)
  }

  return { check, close: () => void client.close() }
}

interface DomainVerdict {
  failure: CheckFailure | null
  /** What the owner should know about a registration that is valid. */
  note: string | null
}

/** Statuses of EPP (RFC 5731 and RFC 3915) in which a domain doesn't work. The first one that a domain has is reported. */
const brokenStatuses: readonly (readonly [status: string, describe: (domain: string) => string])[] = [
  ['pendingdelete', (domain) => `The registry is about to delete ${domain} (pending delete)`],
  ['pendingrestore', (domain) => `${domain} has expired and is being restored (pending restore)`],
  ['redemptionperiod', (domain) => `${domain} has expired: restore it before it is deleted (redemption period)`],
  ['serverhold', (domain) => `The registry has removed ${domain} from DNS (server hold)`],
  ['clienthold', (domain) => `The registrar has removed ${domain} from DNS (client hold)`],
]

/** Decides what a registration means for the monitor. `registration` is null if the domain isn't registered. */
function judgeRegistration(domain: string, registration: DomainRegistration | null, now: Date): DomainVerdict {
  if (registration === null) return fail(`${domain} is not registered`)
  const { expiresAt, statuses } = registration
  const brokenStatus = brokenStatuses.find(([status]) => statuses.includes(status))
  if (brokenStatus !== undefined) return fail(brokenStatus[1](domain))
  if (expiresAt === null) return { failure: null, note: `The registry publishes no expiry date for ${domain}` }
  if (expiresAt <= now) return fail(`Registration of ${domain} expired on ${formatLongDate(expiresAt)}`)
  // Some registries extend the registration immediately when it expires, and give the registrar some weeks to cancel that.
  if (statuses.includes('autorenewperiod')) {
    return {
      failure: null,
      note: `The registry has renewed ${domain} automatically: ask your registrar whether the renewal is paid`,
    }
  }
  return { failure: null, note: null }
}

const fail = (detail: string): DomainVerdict => ({ failure: createFailure('domain', detail), note: null })
