/**
 * Moves visits and events into blocks, for days whose counts are packed, but whose visits and events are still rows: an earlier version packed
 * the counts, or a node of an earlier version was running at the time. Oldest days first, so that whole months become empty.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { FIRST_BLOCK_SCHEMA_VERSION, type PackingDeps, packEach } from './pack-days.ts'
import { findDaysWithoutBlocks } from './store.ts'

const BUSY_RECHECK_MS = 200

interface Deps extends PackingDeps {
  /** Whether events have recently arrived faster than they were written. Collecting has priority. */
  isBusy(): boolean
}

/** After each day, pauses for as long as the day took, so the database has time for other work. */
export async function moveDaysIntoBlocks(deps: Deps, signal?: AbortSignal): Promise<void> {
  if (!deps.cluster.areAllUpgraded(FIRST_BLOCK_SCHEMA_VERSION)) return
  let startedAt = performance.now()
  await packEach(deps, findDaysWithoutBlocks, signal, async () => {
    await waitUnlessAborted(performance.now() - startedAt, signal)
    while (deps.isBusy() && !signal?.aborted) await waitUnlessAborted(BUSY_RECHECK_MS, signal)
    startedAt = performance.now()
  })
}

async function waitUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
}
