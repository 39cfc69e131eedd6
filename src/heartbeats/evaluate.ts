/** Decides whether a heartbeat is alive, has failed or is missing. This module is pure. */
import { addMs } from '../lib/clock.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import { type Beat, isOutdated, type ProcessedBeat, processBeat, type RunState, sortBeats } from './beats.ts'
import { type BeatSchedule, describeSchedule, findExpectedAfter, findExpectedAt, toDeadline } from './schedule.ts'

export interface HeartbeatState extends RunState {
  status: Exclude<MonitorStatus, 'paused'>
  /** When the monitor was created, resumed or got its status. */
  statusChangedAt: Date
  /** If this is later than the last beat, the schedule continues from this time instead of the last beat. */
  expectedFrom: Date | null
  /** The schedule of the last evaluation; null if there was none. */
  scheduleText: string | null
  /** When this evaluation was due. */
  waitingSince: Date
}

export type HeartbeatResult =
  | { kind: 'ok'; responseMs: number | null }
  | { kind: 'failed'; cause: 'heartbeat_failed' | 'heartbeat_missed'; detail: string; responseMs: number | null }
  /** Neither a beat nor the elapsed time changes the status. */
  | { kind: 'unchanged'; detail: string }

/** A period in which no node was able to store beats. */
export interface ReceivingOutage {
  from: Date
  until: Date
}

export interface EvaluationInput {
  schedule: BeatSchedule
  waitingBeats: readonly Beat[]
  now: Date
  lastOutage: ReceivingOutage | null
}

/** What is stored after an evaluation, besides its result. */
export interface HeartbeatUpdate {
  nextDueAt: Date
  /** The beats that the evaluation has used. They leave the inbox. */
  processedBeats: ProcessedBeat[]
  /** The beat that decided the result; null if the result is about a missing beat or nothing has changed. */
  decisiveBeatId: number | null
  run: RunState
  expectedFrom: Date | null
  scheduleText: string
}

export interface HeartbeatEvaluation extends HeartbeatUpdate {
  result: HeartbeatResult
}

/** If an evaluation starts this long after it was due, no node ran in between, and beats may have been lost. */
const GAP_MS = 15 * SECOND_MS
/**
 * If an evaluation starts this late, Belfry had a short problem, such as a killed node. Then jobs get `RETRY_TIME_MS`
 * to send a refused beat again.
 */
const SHORT_GAP_MS = 2 * SECOND_MS
const RETRY_TIME_MS = 30 * SECOND_MS
/** A beat may arrive this long before it is expected, so an outage of Belfry in that time may have lost the beat. */
const EARLY_BEAT_MS = MINUTE_MS
/**
 * Each node estimates PostgreSQL's time. An estimate can be wrong by up to half the duration of PostgreSQL's response, so a beat that
 * one node receives right after another node has created or resumed the monitor may appear to come before that.
 */
const MAX_TIME_DIFFERENCE_MS = 5 * SECOND_MS
/**
 * A heartbeat without any beat needs no evaluation, because its first beat makes it due. This recheck is only a safety
 * net.
 */
const PENDING_RECHECK_MS = DAY_MS

export function evaluateHeartbeat(
  state: HeartbeatState,
  { schedule, waitingBeats, now, lastOutage }: EvaluationInput,
): HeartbeatEvaluation {
  const { processedBeats, run, decisiveBeat, hasMore } = processBeats(state, waitingBeats)
  const common = { processedBeats, run, scheduleText: describeSchedule(schedule) }
  const { expectedFrom } = state
  const baseline = latest(run.lastBeatAt, expectedFrom)
  if (baseline === null || (state.status === 'pending' && decisiveBeat === undefined)) {
    const detail = run.runStartedAt === null ? 'Waiting for the first beat' : 'Waiting for the first run to finish'
    const nextDueAt = addMs(now, PENDING_RECHECK_MS)
    return { ...common, result: { kind: 'unchanged', detail }, nextDueAt, decisiveBeatId: null, expectedFrom }
  }
  const expectedAt = findExpectedAt(schedule, baseline)
  const isMissed = now >= toDeadline(schedule, expectedAt)
  const staysDown = state.status === 'down' && (decisiveBeat === undefined || decisiveBeat.isFailure)
  const beatWindow = {
    from: latest(baseline, addMs(expectedAt, -EARLY_BEAT_MS)) as Date,
    until: toDeadline(schedule, expectedAt),
  }
  const mayHaveLostBeat = followsGapOrNewSchedule(state, schedule, now) || overlaps(lastOutage, beatWindow)
  const isExcused = isMissed && !staysDown && mayHaveLostBeat
  const nextExpectedAt = findExpectedAfter(schedule, isExcused ? now : baseline, now)
  const waitedMs = now.getTime() - state.waitingSince.getTime()
  if (isMissed && !isExcused && !staysDown && decisiveBeat === undefined && waitedMs > SHORT_GAP_MS) {
    const result = { kind: 'unchanged', detail: 'Waiting for a beat that may have been refused' } as const
    return { ...common, result, nextDueAt: addMs(now, RETRY_TIME_MS), decisiveBeatId: null, expectedFrom }
  }
  const evaluation = {
    ...common,
    nextDueAt: hasMore ? now : toDeadline(schedule, nextExpectedAt),
    decisiveBeatId: decisiveBeat?.id ?? null,
    expectedFrom: isExcused ? now : expectedFrom,
  }
  const responseMs = decisiveBeat?.durationMs ?? null
  if (decisiveBeat?.isFailure === true) {
    const detail = describeBeatFailure(decisiveBeat)
    return { ...evaluation, result: { kind: 'failed', cause: 'heartbeat_failed', detail, responseMs } }
  }
  if (isMissed && !isExcused && !hasMore) {
    const detail = describeMissing(run, expectedAt)
    const result = { kind: 'failed', cause: 'heartbeat_missed', detail, responseMs: null } as const
    return { ...evaluation, result, decisiveBeatId: null }
  }
  if (decisiveBeat !== undefined) return { ...evaluation, result: { kind: 'ok', responseMs } }
  const detail = `Next beat is expected at ${formatTime(nextExpectedAt)}`
  return { ...evaluation, result: { kind: 'unchanged', detail } }
}

/**
 * While no node runs, beats are lost, and a job needs time to follow a new schedule. So after a gap or a new schedule,
 * the job has time until the next expected beat.
 */
function followsGapOrNewSchedule(
  { scheduleText, waitingSince }: HeartbeatState,
  schedule: BeatSchedule,
  now: Date,
): boolean {
  const hasNewSchedule = scheduleText !== null && scheduleText !== describeSchedule(schedule)
  return hasNewSchedule || now.getTime() - waitingSince.getTime() > GAP_MS
}

/**
 * Processes the waiting beats up to the first that changes the status. The others wait for the next evaluation, so that a failure
 * opens an incident even if a success follows immediately.
 */
function processBeats(state: HeartbeatState, waitingBeats: readonly Beat[]) {
  const { status } = state
  // A pending monitor was created or resumed. Beats that are clearly from before that carry no information about its
  // current state.
  const countBeatsFrom = addMs(state.statusChangedAt, -MAX_TIME_DIFFERENCE_MS)
  let run: RunState = { lastBeatAt: state.lastBeatAt, runStartedAt: state.runStartedAt }
  if (status === 'pending' && run.runStartedAt !== null && run.runStartedAt < countBeatsFrom) {
    run = { ...run, runStartedAt: null }
  }
  const isTooOld = (beat: Beat) => status === 'pending' && beat.receivedAt < countBeatsFrom
  const processedBeats: ProcessedBeat[] = []
  let decisiveBeat: ProcessedBeat | undefined
  for (const beat of sortBeats(waitingBeats)) {
    const isIgnored = beat.kind === 'start' || isOutdated(beat, run) || isTooOld(beat)
    const next = isTooOld(beat) ? { processed: { ...beat, durationMs: null }, state: run } : processBeat(beat, run)
    processedBeats.push(next.processed)
    run = next.state
    if (isIgnored) continue
    decisiveBeat = next.processed
    const changesStatus = status === 'pending' || beat.isFailure === (status === 'up')
    if (changesStatus) break
  }
  return { processedBeats, run, decisiveBeat, hasMore: processedBeats.length < waitingBeats.length }
}

const overlaps = (outage: ReceivingOutage | null, { from, until }: ReceivingOutage) =>
  outage !== null && outage.from <= until && outage.until >= from

function latest(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}

export const describeBeatFailure = ({ exitCode }: Beat) =>
  exitCode === null ? 'Job reported a failure' : `Job failed with exit code ${exitCode}`

function describeMissing({ lastBeatAt, runStartedAt }: RunState, expectedAt: Date): string {
  const expectation = `expected at ${formatTime(expectedAt)}`
  if (runStartedAt !== null) return `Started at ${formatTime(runStartedAt)}, not finished (${expectation})`
  const since = lastBeatAt === null ? '' : ` since ${formatTime(lastBeatAt)}`
  return `No beat${since}, ${expectation}`
}

const formatTime = (time: Date) => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
