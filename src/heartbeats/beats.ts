/** What beats say about the runs of a job. This module is pure. */

/** `alive`: a plain beat; `start`: a run begins; `finish`: a run ended. */
export const beatKinds = ['alive', 'start', 'finish'] as const
export type BeatKind = (typeof beatKinds)[number]

export interface BeatSignal {
  kind: BeatKind
  /** null if the job reported none. */
  exitCode: number | null
  isFailure: boolean
}

export interface Beat extends BeatSignal {
  id: number
  receivedAt: Date
}

export interface ProcessedBeat extends Beat {
  /** From the start of the run to this beat; null if this beat ends no run. */
  durationMs: number | null
}

export interface RunState {
  /** The last beat other than `start`. */
  lastBeatAt: Date | null
  /** Start of the run that is in progress; null if none is known. */
  runStartedAt: Date | null
}

const MAX_EXIT_CODE = 255

/**
 * Parses what follows the token in the path `/beat/{token}/{segment}`. Returns undefined if it is not a signal. Scripts often add a slash
 * to a URL, or write a signal in capitals, so both are accepted.
 */
export function parseSignal(text: string | undefined): BeatSignal | undefined {
  const segment = text?.toLowerCase().replace(/\/$/, '') ?? ''
  if (segment === '') return { kind: 'alive', exitCode: null, isFailure: false }
  if (segment === 'start') return { kind: 'start', exitCode: null, isFailure: false }
  if (segment === 'fail') return { kind: 'finish', exitCode: null, isFailure: true }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(segment) || Number(segment) > MAX_EXIT_CODE) return undefined
  return { kind: 'finish', exitCode: Number(segment), isFailure: segment !== '0' }
}

/** Sorts by the time of receipt: with several nodes, beats may be stored in a different order. */
export const sortBeats = <T extends Beat>(beats: readonly T[]): T[] =>
  beats.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime() || a.id - b.id)

/** Whether a beat that was received later has already been processed. An outdated beat changes nothing. */
export const isOutdated = ({ receivedAt }: Beat, { lastBeatAt }: RunState) =>
  lastBeatAt !== null && receivedAt < lastBeatAt

/**
 * Any beat other than `start` ends the run in progress. If a job starts twice, the later start counts. A start without an end
 * changes nothing else: only the schedule says when a beat is missing.
 */
export function processBeat(beat: Beat, state: RunState): { processed: ProcessedBeat; state: RunState } {
  const { kind, receivedAt } = beat
  if (isOutdated(beat, state)) return { processed: { ...beat, durationMs: null }, state }
  if (kind === 'start') {
    return { processed: { ...beat, durationMs: null }, state: { ...state, runStartedAt: receivedAt } }
  }
  const durationMs = state.runStartedAt === null ? null : receivedAt.getTime() - state.runStartedAt.getTime()
  return {
    processed: { ...beat, durationMs: durationMs === null ? null : Math.max(0, durationMs) },
    state: { lastBeatAt: receivedAt, runStartedAt: null },
  }
}
