/** Decides what a domain's registration means for its monitor. This module is pure. */
import { formatLongDate } from '../../../lib/format.ts'
import { createFailure } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'
import type { DomainRegistration } from './registration.ts'

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

/** `registration` is null if the domain isn't registered. */
export function judgeRegistration(domain: string, registration: DomainRegistration | null, now: Date): DomainVerdict {
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
