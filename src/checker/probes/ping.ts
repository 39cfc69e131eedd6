/** Checks by ICMP echo. */

import { within } from '../../lib/within.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { failure, failureOf } from './failure.ts'
import { findPing } from './ping/commands.ts'
import { cannotPing, openPinger, type Pinger, TOO_BUSY } from './ping/pinger.ts'
import { PINGS, planFor } from './ping/plan.ts'
import type { Replies } from './ping/replies.ts'
import { type Finding, noTimings, type OpenProbe, type PingTarget, type Unable, type Unknown } from './probe.ts'

/** A command may be installed while we run. */
const LOOK_AGAIN_MS = 60_000

export interface PingProbeOptions {
  guard: Guard
  /** Folders with colons between, where the commands are looked for. */
  path?: string | undefined
}

export function pingProbe({ guard, path }: PingProbeOptions): OpenProbe<PingTarget> {
  const closing = new AbortController()
  let pinger: Promise<Pinger | Unable> | undefined

  async function findPinger(): Promise<Pinger | Unable> {
    const found = await findPing(path)
    if (!('missing' in found)) return openPinger(found, closing.signal)
    setTimeout(forgetPinger, LOOK_AGAIN_MS).unref()
    return { unable: cannotPing(found.missing) }
  }

  function forgetPinger(): void {
    pinger = undefined
  }

  async function check({ url: host, timeoutMs }: PingTarget): Promise<Finding | Unknown | Unable> {
    // Not on the host's time: the first of all checks has to find out.
    pinger ??= findPinger()
    const ping = await pinger
    if (typeof ping !== 'function') return ping

    const startedAt = performance.now()
    const leftMs = () => timeoutMs - (performance.now() - startedAt)
    const tooLate = `the name ${host} could not be looked up within ${timeoutMs / 1000} s`

    const addresses = await within(leftMs(), guard.resolveVetted(host)).catch((error: Error) => error)
    if (addresses instanceof Error) return { ...nothing, failure: failureOf(addresses, host, null) }
    const address = addresses?.[0]?.address
    const dnsMs = address === host ? null : Math.round(performance.now() - startedAt)
    const plan = planFor(leftMs())
    if (address === undefined || plan === undefined) return { ...nothing, failure: failure('dns', tooLate) }

    let hasBegun = false
    const begins = () => {
      hasBegun = planFor(leftMs()) !== undefined
      return hasBegun
    }
    const replies = await within(leftMs(), ping(address, plan, begins))
    if (closing.signal.aborted) return { unknown: 'This server was stopped during the check' }
    if (replies === undefined && !hasBegun) return { unknown: TOO_BUSY }
    // ping itself waits for whole seconds, and may not know yet what we do.
    if (replies === undefined) return findingOf(address, dnsMs, { sent: PINGS, received: 0, meanMs: null })
    if ('unknown' in replies) {
      forgetPinger()
      return replies
    }
    return findingOf(address, dnsMs, replies)
  }

  return {
    check,
    close: () => closing.abort(),
  }
}

const nothing: Finding = {
  failure: null,
  responseMs: null,
  timings: noTimings,
  httpStatus: null,
  tlsExpiresAt: null,
  packetLoss: null,
  address: null,
  answered: false,
}

function findingOf(address: string, dnsMs: number | null, { sent, received, meanMs }: Replies): Finding {
  return {
    ...nothing,
    failure: received > 0 ? null : failure('ping', `no reply from ${address} to ${PINGS} pings`),
    responseMs: meanMs === null ? null : Math.round(meanMs),
    timings: { ...noTimings, dnsMs },
    packetLoss: Math.round(100 * (1 - received / sent)),
    address,
    answered: received > 0,
  }
}
