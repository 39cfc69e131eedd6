/** Parses the output of the ping commands. */
export interface PingReplies {
  sent: number
  received: number
  /** null if there was no reply. */
  meanMs: number | null
}

/** Parses the output of `fping -C 3 -q`: one line per address, with a time or a dash for each ping. */
export function parseFping(output: string): Map<string, PingReplies> {
  const replies = new Map<string, PingReplies>()
  for (const [, address = '', columns = ''] of output.matchAll(/^(\S+)\s+:((?: (?:[\d.]+|-))+)\s*$/gm)) {
    const pings = columns.trim().split(' ')
    const times = pings.filter((ping) => ping !== '-').map(Number)
    const sum = times.reduce((total, time) => total + time, 0)
    replies.set(address, {
      sent: pings.length,
      received: times.length,
      meanMs: times.length === 0 ? null : sum / times.length,
    })
  }
  return replies
}

/** Parses the output of `ping -q` from iputils or BusyBox. */
export function parsePing(output: string): PingReplies | undefined {
  const counts = /^(\d+) packets transmitted, (\d+) (?:packets )?received/m.exec(output)
  if (counts === null) return undefined
  const mean = /^(?:rtt|round-trip) min\/avg\/max\S* = [\d.]+\/([\d.]+)\//m.exec(output)
  return { sent: Number(counts[1]), received: Number(counts[2]), meanMs: mean === null ? null : Number(mean[1]) }
}
