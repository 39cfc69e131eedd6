/** Checks the records that a DNS server returns for a name. */
import { isIP } from 'node:net'
import { parseHostPort } from '../../../lib/network-address.ts'
import { toReverseName } from '../../../monitors/dns-records.ts'
import { Guard } from '../../../outgoing/guard.ts'
import type { DnsTarget, Probe } from '../probe.ts'
import { openCheckProbe } from '../running-checks.ts'
import { DnsCheck, type DnsServers } from './check.ts'
import type { DnsServer } from './exchange.ts'

export interface DnsProbeOptions {
  guard: Guard
  /** The DNS servers that this machine is configured with, as `address` or `address:port`. */
  listSystemServers: () => readonly string[]
}

const DNS_PORT = 53
/** The operator chose the servers of the machine, so they may have private addresses. */
const systemGuard = new Guard({ allowsAll: true, ranges: [] })

export function openDnsProbe({ guard, listSystemServers }: DnsProbeOptions): Probe<DnsTarget> {
  return openCheckProbe((target, done) => {
    const { url, timeoutMs, dns } = target
    const servers: DnsServers =
      dns.resolver === null
        ? { isSystem: true, guard: systemGuard, list: listSystemServers().map(parseServer) }
        : { isSystem: false, guard, list: [parseServer(dns.resolver)] }
    return new DnsCheck({ name: isIP(url) === 0 ? url : toReverseName(url), timeoutMs, options: dns }, servers, done)
  })
}

function parseServer(text: string): DnsServer {
  const { host: address, port = DNS_PORT } = parseHostPort(text) as { host: string; port: number | undefined }
  return { address, port }
}
