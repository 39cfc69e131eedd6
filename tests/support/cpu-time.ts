/**
 * Returns how long `work` keeps this thread busy, in ms. Unlike the time on a clock, this CPU time doesn't grow if other processes use
 * the cores. The shortest of three runs counts, because the first one also compiles code, and garbage collection can slow down any of them.
 */
export function measureCpuMs(work: () => unknown): number {
  const runs = Array.from({ length: 3 }, () => {
    const usageBefore = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(usageBefore)
    return (user + system) / 1_000
  })
  return Math.min(...runs)
}
