/** Checks of type dns that may ask servers at any address. */
import type { Answer } from 'dns-packet'
import { onTestFinished } from 'vitest'
import { openDnsProbe } from '../../src/checker/probes/dns/probe.ts'
import type { Inconclusive, ProbeResult } from '../../src/checker/probes/probe.ts'
import { type DnsOptions, defaultOptions } from '../../src/monitors/option-schemas.ts'
import type { Guard } from '../../src/outgoing/guard.ts'
import { createPermissiveGuard } from './probe-support.ts'

export interface DnsSettings extends Partial<DnsOptions> {
  timeoutMs?: number
  guard?: Guard
  systemServers?: string[]
}

/** Returns the result of a check, or why there is none. */
export async function runDnsCheck(url: string, settings: DnsSettings = {}): Promise<ProbeResult | Inconclusive> {
  const { timeoutMs = 10_000, guard = createPermissiveGuard(), systemServers = [], ...dns } = settings
  const probe = openDnsProbe({ guard, listSystemServers: () => systemServers })
  onTestFinished(() => probe.close())
  const result = await probe.check({ type: 'dns', url, timeoutMs, dns: { ...defaultOptions.dns, ...dns } })
  if ('responded' in result || 'inconclusive' in result) return result
  throw new Error(JSON.stringify(result))
}

/** Throws if the check is inconclusive. */
export async function checkDns(url: string, settings: DnsSettings = {}): Promise<ProbeResult> {
  const result = await runDnsCheck(url, settings)
  if (!('responded' in result)) throw new Error(result.inconclusive)
  return result
}

export const toAddressRecords = (...addresses: string[]): Answer[] =>
  addresses.map((data) => ({ type: 'A', name: 'example.com', ttl: 60, data }))
