/** What came back, as the commands report it. */
export interface Replies {
  sent: number
  received: number
  /** null where nothing came back */
  meanMs: number | null
}

/** `fping -C 3 -q`: a line for each address, with a time or a dash for each ping. */
export function parseFping(output: string): Map<string, Replies> {
  const replies = new Map<string, Replies>()
  for (const [, address = '', results = ''] of output.matchAll(/^(\S+)\s+:((?: (?:[\d.]+|-))+)\s*$/gm)) {
    const each = results.trim().split(' ')
    const times = each.filter((result) => result !== '-').map(Number)
    const sum = times.reduce((total, time) => total + time, 0)
    replies.set(address, {
      sent: each.length,
      received: times.length,
      meanMs: times.length === 0 ? null : sum / times.length,
    })
  }
  return replies
}

/** `ping -q` of iputils and of busybox. */
export function parsePing(output: string): Replies | undefined {
  const counts = /^(\d+) packets transmitted, (\d+) (?:packets )?received/m.exec(output)
  if (counts === null) return undefined
  const mean = /^(?:rtt|round-trip) min\/avg\/max\S* = [\d.]+\/([\d.]+)\//m.exec(output)
  return { sent: Number(counts[1]), received: Number(counts[2]), meanMs: mean === null ? null : Number(mean[1]) }
}
