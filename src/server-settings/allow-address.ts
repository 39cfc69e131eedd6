/** Says which line allows monitors and webhooks to connect to a private address. */
import { isHostname } from '../lib/network-address.ts'
import { formatFieldError, invalid } from '../lib/problem.ts'
import { AddressPolicy } from '../outgoing/address-policy.ts'
import type { ResolveHost } from '../outgoing/guard.ts'
import { findNetworkFault } from '../outgoing/network-fault.ts'
import type { PrivateTargets } from '../outgoing/private-targets.ts'
import { toSingleRange } from '../shared/refusal-text.ts'
import type { Deployment } from './deployment.ts'
import type { Instruction } from './instruction.ts'
import { explainSetting } from './instructions.ts'

interface Deps {
  privateTargets: PrivateTargets
  deployment: Deployment
  resolve: ResolveHost
}

/** Returns null if Belfry already connects to the host, or if no line should be copied: see `extendPrivateTargets`. */
export async function explainPrivateTarget(
  host: string,
  { privateTargets, deployment, resolve }: Deps,
): Promise<Instruction | null> {
  const value = extendPrivateTargets(privateTargets, await resolveEnteredHost(host, resolve))
  return value === undefined ? null : explainSetting(deployment, { BELFRY_PRIVATE_TARGETS: value })
}

async function resolveEnteredHost(host: string, resolve: ResolveHost): Promise<string[]> {
  if (!isHostname(host)) throw invalid({ host: [formatFieldError('host', 'must be a host name or an IP address')] })
  try {
    return (await resolve(host)).map(({ address }) => address)
  } catch (error) {
    const fault = findNetworkFault(error)
    if (fault === undefined) throw error
    throw invalid({ host: [`${host} can't be resolved: ${fault.description}.`] })
  }
}

/**
 * Returns the value that allows these addresses besides those that are allowed already. Leaves out addresses of cloud
 * metadata services, which give the machine's credentials to anyone who can connect to them.
 */
export function extendPrivateTargets(targets: PrivateTargets, addresses: readonly string[]): string | undefined {
  const policy = new AddressPolicy(targets)
  const refused = addresses.filter((address) => {
    const kind = policy.findRefusal(address)
    return kind !== undefined && kind !== 'the address of a cloud metadata service'
  })
  if (refused.length === 0) return undefined
  const current = [...(targets.allowsAll ? ['allow'] : []), ...targets.ranges]
  return [...current, ...new Set(refused.map(toSingleRange))].join(',')
}
