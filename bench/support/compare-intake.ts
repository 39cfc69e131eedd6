import type { BenchServer } from './bench-server.ts'
import type { HttpLoadOptions } from './load.ts'
import { compareUnderLoad, type LoadComparison } from './load-rounds.ts'
import { findFreePort, startProcess } from './processes.ts'

/**
 * With this many connections, the baseline is always busy. With 64, it would mostly wait for the end of its 10 ms, however fast
 * the machine is, so the ratio would depend on the machine.
 */
const CONNECTIONS = 256
/** Lets Belfry process what it has stored, which would slow down the next round of the baseline. */
const PAUSE_MS = 1_500

/** Compares requests that Belfry stores durably with the same requests to usual-intake.ts. */
export async function compareWithUsualIntake(
  { dataDir, port }: BenchServer,
  requests: Pick<HttpLoadOptions, 'path' | 'posts'>,
): Promise<LoadComparison> {
  const usualIntake = await startProcess(['bench/support/usual-intake.ts'], await findFreePort(), {
    USUAL_DATA: dataDir,
  })
  return compareUnderLoad({
    baselineName: 'the usual way',
    connections: CONNECTIONS,
    baseline: { ...requests, port: usualIntake.port },
    belfry: { ...requests, port },
    pauseMs: PAUSE_MS,
  }).finally(() => usualIntake.stop())
}
