/**
 * Proof that a custom domain belongs to the owner of a status page: a TXT record that only this server can compute for this user and this
 * domain. A domain that points to this server proves nothing, because another user may have pointed it here.
 */
import type { Logger } from 'pino'
import type { RouteDeps } from '../../http/route-deps.ts'
import { addMs, type Clock, waitAtMost } from '../../lib/clock.ts'
import { rateLimited } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { isSameSecret } from '../../lib/token.ts'
import type { RateLimit } from '../../lib/window-counter.ts'
import type { ResolveTxt } from '../../outgoing/resolver.ts'
import { DAY_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import { PROOF_LABEL } from './parse-custom-domain.ts'
import {
  claimDomainsToCheck,
  type DomainClaim,
  findVerifiedPage,
  revokeVerification,
  saveProof,
} from './proof-store.ts'
import type { DomainCheck, DomainProofRecord, DomainReachability } from './schema.ts'

/** A domain whose record is missing stays verified for this long after the record was last found. */
const MAX_MISSING_MS = 7 * DAY_MS
/** How many domains one run of the job checks. */
const BATCH_SIZE = 20
/**
 * Several lookups run concurrently, so that a name server that doesn't respond doesn't delay the domains of other users.
 */
const MAX_CONCURRENT_LOOKUPS = 5
const MAX_LOOKUP_MS = 5_000

export function createProofRecord(secret: Secret, teamId: number, domain: string): DomainProofRecord {
  const token = secret.hmac('custom domain owner', `${teamId} ${domain}`).toString('base64url')
  return { type: 'TXT', name: `${PROOF_LABEL}.${domain}`, value: `belfry-status-page=${token}` }
}

/** There is a limit because each check connects to servers that the user chooses. */
const CHECKS_PER_MINUTE: RateLimit = { count: 10, windowSeconds: 60 }

/** Throws if the user has checked too many domains in the last minute. */
export function countDomainCheck(counter: RouteDeps['counter'], teamId: number): void {
  const { allowed, retryAfterSeconds } = counter.take(`check-domain:user:${teamId}`, CHECKS_PER_MINUTE)
  if (!allowed) throw rateLimited(`At most ${CHECKS_PER_MINUTE.count} checks of domains a minute.`, retryAfterSeconds)
}

export type ProofResult =
  /** The record exists, and the page is verified. */
  | 'verified'
  | 'missing'
  /** The record exists, but another page with this domain was verified first. */
  | 'taken'
  /** The name servers did not answer. */
  | 'unknown'

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  secret: Secret
  resolveTxt: ResolveTxt
}

export class DomainVerifier {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Looks for the record of a page's domain, and stores what it found. */
  async verify(claim: DomainClaim): Promise<ProofResult> {
    const { clock, db, log } = this.#deps
    const record = await this.#lookUp(claim)
    if (record === 'missing') {
      const now = clock.now()
      const isRevoked = await revokeVerification(db, claim, { unlessProvedAfter: addMs(now, -MAX_MISSING_MS), now })
      if (isRevoked) log.warn({ page: claim.pageId, domain: claim.domain }, 'a custom domain is no longer verified')
    }
    if (record !== 'found') return record
    const holder = await findVerifiedPage(db, claim.domain)
    if (holder === undefined || holder.pageId === claim.pageId) return this.#save(claim)
    // Another page is verified for this domain, perhaps by a former owner of the domain. If that page belongs to
    // another user and its record is missing, its verification is revoked.
    if (holder.teamId === claim.teamId || (await this.#lookUp(holder)) !== 'missing') return 'taken'
    await revokeVerification(db, holder, { now: clock.now() })
    log.warn({ page: holder.pageId, domain: claim.domain }, 'another user proved that a custom domain is theirs')
    return this.#save(claim)
  }

  /** Whether the record exists that proves that this user owns the domain. Stores nothing. */
  async hasRecord(teamId: number, domain: string): Promise<boolean> {
    return (await this.#lookUp({ teamId, domain })) === 'found'
  }

  /** Checks the domains that are due, the least recently checked first. Users take turns. */
  async verifyDue(signal: AbortSignal): Promise<void> {
    const { clock, db, log } = this.#deps
    const claims = (await claimDomainsToCheck(db, { limit: BATCH_SIZE, now: clock.now() })).values()
    const checkInTurn = async () => {
      for (const claim of claims) {
        if (signal.aborted) return
        const result = await this.verify(claim)
        log.debug({ page: claim.pageId, domain: claim.domain, result }, 'checked the record of a custom domain')
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_LOOKUPS }, checkInTurn))
  }

  async #save(claim: DomainClaim): Promise<ProofResult> {
    return (await saveProof(this.#deps.db, claim, this.#deps.clock.now())) ? 'verified' : 'taken'
  }

  async #lookUp({ teamId, domain }: Omit<DomainClaim, 'pageId'>): Promise<'found' | 'missing' | 'unknown'> {
    const { resolveTxt, secret } = this.#deps
    const { name, value } = createProofRecord(secret, teamId, domain)
    try {
      const texts = await waitAtMost(MAX_LOOKUP_MS, resolveTxt(name))
      if (texts === undefined) return 'unknown'
      return texts.some((text) => isSameSecret(text.trim(), value)) ? 'found' : 'missing'
    } catch (error) {
      this.#deps.log.debug({ err: error, domain }, 'cannot look up the record of a custom domain')
      return 'unknown'
    }
  }
}

const proofProblems: Record<ProofResult, string | null> = {
  verified: null,
  missing: 'The record was not found.',
  taken:
    'Another status page with this domain was verified first. Remove the domain from that page, or its TXT record from the DNS.',
  unknown: 'The name servers did not answer. Try again later.',
}

/** Adds the result of the proof to that of the reachability check. The hint describes the first missing step. */
export function describeProof(
  reachability: DomainReachability,
  { record, result, verifiedAt }: { record: DomainProofRecord; result: ProofResult; verifiedAt: Date | null },
): DomainCheck {
  const problem = proofProblems[result]
  const step = `Create a TXT record with the name ${record.name} and the value ${record.value}. Until it is found, ${reachability.domain} doesn't show the page.`
  const proofHint =
    result === 'missing' ? `${step} It can take an hour until a new record is visible everywhere.` : problem
  return {
    ...reachability,
    record: { ...record, ok: problem === null, problem },
    custom_domain_verified_at: verifiedAt?.toISOString() ?? null,
    hint: verifiedAt === null && proofHint !== null ? proofHint : reachability.hint,
  }
}
