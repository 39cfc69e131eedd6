/** Checks hosts with ICMP echo requests. */

import { waitAtMost } from '../../../lib/clock.ts'
import type { Guard } from '../../../outgoing/guard.ts'
import { createFailure, createFailureFromError } from '../failure.ts'
import {
  emptyResult,
  type Inconclusive,
  noTimings,
  type PingTarget,
  type Probe,
  type ProbeResult,
  type Unsupported,
} from '../probe.ts'
import { findPingCommand } from './commands.ts'
import { formatPingProblem, openPinger, type Pinger } from './pinger.ts'
import { findPingPlan, PINGS_PER_CHECK } from './plan.ts'
import type { PingReplies } from './replies.ts'

/** If no ping command works, Belfry searches again after this time: an administrator may have installed one. */
const COMMAND_SEARCH_INTERVAL_MS = 60_000

export interface PingProbeOptions {
  guard: Guard
  /** Folders to search for the ping commands, in the format of $PATH. */
  path?: string | undefined
}

export function openPingProbe({ guard, path }: PingProbeOptions): Probe<PingTarget> {
  const closeController = new AbortController()
  let pinger: Promise<Pinger | Unsupported> | undefined

  async function findPinger(): Promise<Pinger | Unsupported> {
    const command = await findPingCommand(path)
    if (!('unavailable' in command)) return openPinger(command, closeController.signal)
    setTimeout(forgetPinger, COMMAND_SEARCH_INTERVAL_MS).unref()
    return { unsupported: formatPingProblem(command.unavailable) }
  }

  function forgetPinger(): void {
    pinger = undefined
  }

  async function check({
    url: host,
    teamId,
    timeoutMs,
  }: PingTarget): Promise<ProbeResult | Inconclusive | Unsupported> {
    // The first check has to find the ping command. That time does not count towards the timeout.
    pinger ??= findPinger()
    const ping = await pinger
    if (typeof ping !== 'function') return ping

    const startedAt = performance.now()
    const remainingMs = () => timeoutMs - (performance.now() - startedAt)

    const addresses = await waitAtMost(remainingMs(), guard.resolveVetted(host)).catch((error: Error) => error)
    if (addresses instanceof Error) return { ...emptyResult, failure: createFailureFromError(addresses, host, null) }
    const address = addresses?.[0]?.address
    const dnsMs = address === host ? null : Math.round(performance.now() - startedAt)
    const plan = findPingPlan(remainingMs())
    if (address === undefined || plan === undefined) {
      const detail = `DNS lookup of ${host} took longer than ${timeoutMs / 1000} s`
      return { ...emptyResult, failure: createFailure('dns', detail) }
    }

    const replies = await ping(address, { plan, teamId, getRemainingMs: remainingMs })
    if (closeController.signal.aborted) return { inconclusive: 'The Belfry server stopped during the check' }
    if ('inconclusive' in replies) {
      forgetPinger()
      return replies
    }
    return toProbeResult(address, dnsMs, replies)
  }

  return {
    check,
    close: () => closeController.abort(),
  }
}

function toProbeResult(address: string, dnsMs: number | null, { sent, received, meanMs }: PingReplies): ProbeResult {
  return {
    ...emptyResult,
    failure: received > 0 ? null : createFailure('ping', `No reply from ${address} to ${PINGS_PER_CHECK} pings`),
    responseMs: meanMs === null ? null : Math.round(meanMs),
    timings: { ...noTimings, dnsMs },
    packetLoss: Math.round(100 * (1 - received / sent)),
    address,
    responded: received > 0,
  }
}
