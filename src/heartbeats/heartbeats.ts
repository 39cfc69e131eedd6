/** Lists the beats of a monitor, including those that are not processed yet. */
import { getMonitor } from '../monitors/monitors.ts'
import { MAX_LISTED_BEATS } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import { type ProcessedBeat, processBeat, type RunState, sortBeats } from './beats.ts'
import { readProcessedBeats } from './list-store.ts'
import { findExpectedAfter, toBeatSchedule } from './schedule.ts'
import type { BeatList, BeatMeta, BeatRecord } from './schema.ts'
import { readHeartbeats, type StoredHeartbeat } from './store.ts'

const emptyMeta: BeatMeta = {
  last_beat_at: null,
  run_started_at: null,
  next_expected_at: null,
  last_output: null,
  last_output_at: null,
}

/** Throws if the caller has no such monitor. */
export async function listBeats(
  q: Queries,
  monitorId: number,
  { now, serverTimeZone }: { now: Date; serverTimeZone: string },
): Promise<BeatList> {
  const { user_id: teamId } = await getMonitor(q, monitorId)
  const [heartbeat] = await readHeartbeats(q, [{ teamId, monitorId }])
  if (heartbeat === undefined) return { data: [], meta: emptyMeta }
  const { beats, lastOutput } = await readProcessedBeats(q, monitorId)
  const { waiting, run } = processWaiting(heartbeat)
  // A beat that was processed between the two queries is in both results, so the map keeps it only once.
  const newestFirst = sortBeats([...new Map([...waiting, ...beats].map((beat) => [beat.id, beat])).values()]).reverse()
  return {
    data: newestFirst.slice(0, MAX_LISTED_BEATS).map(toBeatRecord),
    meta: {
      last_beat_at: run.lastBeatAt?.toISOString() ?? null,
      run_started_at: run.runStartedAt?.toISOString() ?? null,
      next_expected_at: findNextExpectedAt(heartbeat, run, now, serverTimeZone)?.toISOString() ?? null,
      last_output: lastOutput?.text ?? null,
      last_output_at: lastOutput?.at.toISOString() ?? null,
    },
  }
}

function processWaiting(heartbeat: StoredHeartbeat): { waiting: ProcessedBeat[]; run: RunState } {
  const waiting: ProcessedBeat[] = []
  let run: RunState = heartbeat
  for (const beat of sortBeats(heartbeat.waitingBeats)) {
    const next = processBeat(beat, run)
    waiting.push(next.processed)
    run = next.state
  }
  return { waiting, run }
}

function findNextExpectedAt(
  { status, options, expectedFrom }: StoredHeartbeat,
  { lastBeatAt }: RunState,
  now: Date,
  serverTimeZone: string,
): Date | undefined {
  if (status === 'paused' || status === 'pending' || lastBeatAt === null) return undefined
  const baseline = expectedFrom !== null && expectedFrom > lastBeatAt ? expectedFrom : lastBeatAt
  return findExpectedAfter(toBeatSchedule(options, serverTimeZone), baseline, now)
}

const toBeatRecord = (beat: ProcessedBeat): BeatRecord => ({
  id: beat.id,
  received_at: beat.receivedAt.toISOString(),
  kind: beat.kind,
  exit_code: beat.exitCode,
  failed: beat.isFailure,
  duration_ms: beat.durationMs,
})
