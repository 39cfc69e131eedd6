import { describe, expect, it } from 'vitest'
import type { Beat } from './beats.ts'
import { type EvaluationInput, evaluateHeartbeat, type HeartbeatState } from './evaluate.ts'
import { type BeatSchedule, describeSchedule } from './schedule.ts'

const hourly: BeatSchedule = { periodMs: 3_600_000, cron: null, timeZone: 'UTC', graceMs: 300_000 }
/** Returns the time this many minutes after 10:00. */
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 10) + Math.round(minutes * 60_000))
const toMinutes = (time: Date | null) => (time === null ? null : (time.getTime() - at(0).getTime()) / 60_000)
/** One second, in minutes. A beat counts as missing one second after the end of its grace. */
const SECOND = 1 / 60

const upState: HeartbeatState = {
  status: 'up',
  statusChangedAt: at(-600),
  lastBeatAt: at(0),
  runStartedAt: null,
  expectedFrom: null,
  scheduleText: describeSchedule(hourly),
  waitingSince: at(0),
}
let lastId = 0
const createAlive = (minutes: number): Beat => ({
  id: ++lastId,
  receivedAt: at(minutes),
  kind: 'alive',
  exitCode: null,
  isFailure: false,
})
const createStart = (minutes: number): Beat => ({ ...createAlive(minutes), kind: 'start' })
const createFailure = (minutes: number, exitCode: number | null = 1): Beat => ({
  ...createAlive(minutes),
  kind: 'finish',
  exitCode,
  isFailure: true,
})

function evaluate(
  state: Partial<HeartbeatState>,
  beats: Beat[],
  minutes: number,
  { schedule = hourly, lastOutage = null }: Partial<Pick<EvaluationInput, 'schedule' | 'lastOutage'>> = {},
) {
  const now = at(minutes)
  const evaluation = evaluateHeartbeat(
    { ...upState, waitingSince: now, ...state },
    { schedule, waitingBeats: beats, now, lastOutage },
  )
  return { ...evaluation, due: toMinutes(evaluation.nextDueAt), used: evaluation.processedBeats.length }
}

describe('a heartbeat that is up', () => {
  it('stays up with an early beat, and expects the next beat a period later', () => {
    expect(evaluate({}, [createAlive(10)], 10)).toMatchObject({ result: { kind: 'ok' }, due: 75 + SECOND })
    expect(evaluate({}, [createAlive(10), createAlive(11)], 11)).toMatchObject({
      result: { kind: 'ok' },
      due: 76 + SECOND,
      used: 2,
    })
  })

  it('stays up while a beat is late by less than the grace', () => {
    expect(evaluate({}, [], 64)).toMatchObject({ result: { kind: 'unchanged' }, due: 65 + SECOND })
    expect(evaluate({}, [createAlive(64)], 64)).toMatchObject({ result: { kind: 'ok' }, due: 129 + SECOND })
  })

  it('fails when the grace has passed', () => {
    expect(evaluate({}, [], 65 + SECOND)).toMatchObject({
      result: {
        kind: 'failed',
        cause: 'heartbeat_missed',
        detail: 'No beat since 2026-01-05 10:00:00 UTC, expected at 2026-01-05 11:00:00 UTC',
      },
      due: 125 + SECOND,
    })
  })

  it('fails when a run has started but not finished by the end of the grace', () => {
    const { result, run } = evaluate({}, [createStart(60)], 65 + SECOND)
    expect(result).toMatchObject({
      cause: 'heartbeat_missed',
      detail: 'Started at 2026-01-05 11:00:00 UTC, not finished (expected at 2026-01-05 11:00:00 UTC)',
    })
    expect(run).toEqual({ lastBeatAt: at(0), runStartedAt: at(60) })
  })

  it('fails with a reported failure', () => {
    expect(evaluate({}, [createFailure(5, 3)], 5)).toMatchObject({
      result: { kind: 'failed', cause: 'heartbeat_failed', detail: 'Job failed with exit code 3' },
      due: 70 + SECOND,
    })
    expect(evaluate({}, [createFailure(5, null)], 5).result).toMatchObject({ detail: 'Job reported a failure' })
  })

  it('reports the duration of the run that ended last', () => {
    expect(evaluate({ runStartedAt: at(4) }, [createAlive(5), createStart(6), createAlive(8)], 8)).toMatchObject({
      result: { kind: 'ok', responseMs: 120_000 },
      processedBeats: [{ durationMs: 60_000 }, { durationMs: null }, { durationMs: 120_000 }],
    })
  })

  it('leaves the beats after a failure for the next evaluation, so that the failure is announced', () => {
    const beats = [createAlive(5), createFailure(6), createAlive(7)]
    const firstEvaluation = evaluate({}, beats, 7)
    expect(firstEvaluation).toMatchObject({ result: { cause: 'heartbeat_failed' }, used: 2, due: 7 })
    const secondEvaluation = evaluate({ status: 'down', ...firstEvaluation.run }, beats.slice(2), 7)
    expect(secondEvaluation).toMatchObject({ result: { kind: 'ok' }, used: 1, due: 72 + SECOND })
  })

  it('ignores a failure that is older than a processed beat', () => {
    expect(evaluate({ lastBeatAt: at(10) }, [createFailure(9)], 11)).toMatchObject({
      result: { kind: 'unchanged' },
      used: 1,
    })
  })
})

describe('a heartbeat that is down', () => {
  const downState = { ...upState, status: 'down' } as const

  it('recovers with the next beat, but not with a start', () => {
    expect(evaluate(downState, [createStart(90)], 90).result).toMatchObject({
      kind: 'failed',
      cause: 'heartbeat_missed',
    })
    expect(evaluate(downState, [createAlive(90)], 90)).toMatchObject({ result: { kind: 'ok' }, due: 155 + SECOND })
  })

  it('is evaluated again at the next expected times', () => {
    expect(evaluate(downState, [], 125 + SECOND)).toMatchObject({
      result: { cause: 'heartbeat_missed' },
      due: 185 + SECOND,
    })
  })

  it('stays down after a failure until the job succeeds', () => {
    const failedState = { ...downState, lastBeatAt: at(5) }
    expect(evaluate(failedState, [], 6).result.kind).toBe('unchanged')
    expect(evaluate(failedState, [createFailure(30)], 30).result).toMatchObject({ cause: 'heartbeat_failed' })
  })

  it('does not recover merely because Belfry was down as well', () => {
    expect(evaluate({ ...downState, waitingSince: at(125) }, [], 300).result).toMatchObject({
      cause: 'heartbeat_missed',
    })
  })
})

describe('a heartbeat that is pending', () => {
  const pendingState = {
    ...upState,
    status: 'pending',
    statusChangedAt: at(0),
    lastBeatAt: null,
    scheduleText: null,
  } as const

  it('waits for its first beat, however long', () => {
    const waitingResult = { kind: 'unchanged', detail: 'Waiting for the first beat' }
    expect(evaluate(pendingState, [], 100_000).result).toEqual(waitingResult)
    expect(evaluate(pendingState, [createStart(5)], 100_000).result).toEqual({
      kind: 'unchanged',
      detail: 'Waiting for the first run to finish',
    })
  })

  it('is up or down with its first beat', () => {
    expect(evaluate(pendingState, [createAlive(5)], 5)).toMatchObject({ result: { kind: 'ok' }, due: 70 + SECOND })
    expect(evaluate(pendingState, [createFailure(5), createAlive(6)], 6)).toMatchObject({
      result: { cause: 'heartbeat_failed' },
      used: 1,
      due: 6,
    })
  })

  it('ignores beats that it received before it was resumed', () => {
    const resumedState = { ...pendingState, statusChangedAt: at(30), lastBeatAt: at(-500), runStartedAt: at(-400) }
    expect(evaluate(resumedState, [], 31)).toMatchObject({ result: { kind: 'unchanged' }, run: { runStartedAt: null } })
    expect(evaluate(resumedState, [createAlive(29)], 31)).toMatchObject({ result: { kind: 'unchanged' }, used: 1 })
    expect(evaluate(resumedState, [createAlive(31)], 31).result).toEqual({ kind: 'ok', responseMs: null })
  })

  it("counts its first beat if the receiving node's clock is up to 5 seconds behind that of the node that created the heartbeat", () => {
    const createdState = { ...pendingState, statusChangedAt: at(30) }
    const [startBeat, beat] = [createStart(30 - 5 * SECOND), createAlive(30 - 3 * SECOND)]
    expect(evaluate(createdState, [beat], 31).result).toEqual({ kind: 'ok', responseMs: null })
    expect(evaluate(createdState, [startBeat, beat], 31).result).toEqual({ kind: 'ok', responseMs: 2_000 })
    const startedState = { ...createdState, runStartedAt: startBeat.receivedAt }
    expect(evaluate(startedState, [beat], 31).result).toEqual({ kind: 'ok', responseMs: 2_000 })
  })
})

describe('a job whose beats may not have been received', () => {
  it('has time until the next expected beat after Belfry was down', () => {
    const evaluationAfterGap = evaluate({ waitingSince: at(65) }, [], 100)
    expect(evaluationAfterGap).toMatchObject({
      result: { kind: 'unchanged' },
      due: 165 + SECOND,
      expectedFrom: at(100),
    })
    const { expectedFrom } = evaluationAfterGap
    expect(evaluate({ expectedFrom }, [], 110).result.kind).toBe('unchanged')
    expect(evaluate({ expectedFrom }, [], 165 + SECOND).result).toMatchObject({ cause: 'heartbeat_missed' })
  })

  it('has time until the next expected beat if Belfry was down when the previous beat was expected, even if Belfry was back before the deadline', () => {
    const evaluateWithOutage = (from: number, until: number, state = {}) =>
      evaluate(state, [], 65 + SECOND, { lastOutage: { from: at(from), until: at(until) } })
    for (const [from, until] of [
      [59.9, 60.1],
      [63, 64],
      [0, 59.5],
    ] as const) {
      const { result, due, expectedFrom } = evaluateWithOutage(from, until)
      // The next beat is expected an hour after this evaluation.
      expect([from, result.kind, due?.toFixed(3)]).toEqual([from, 'unchanged', (130 + 2 * SECOND).toFixed(3)])
      const secondEvaluation = evaluate({ expectedFrom }, [], 130 + 2 * SECOND, {
        lastOutage: { from: at(from), until: at(until) },
      })
      expect(secondEvaluation.result).toMatchObject({ cause: 'heartbeat_missed' })
    }
    expect(evaluateWithOutage(20, 40).result).toMatchObject({ cause: 'heartbeat_missed' })
    expect(evaluateWithOutage(-10, -5).result).toMatchObject({ cause: 'heartbeat_missed' })
    expect(evaluateWithOutage(59, 61, { status: 'down' }).result).toMatchObject({ cause: 'heartbeat_missed' })
  })

  it('has half a minute to send a beat again after a short problem of Belfry', () => {
    const deadline = 65 + SECOND
    const evaluation = evaluate({ waitingSince: at(deadline) }, [], deadline + 5 * SECOND)
    expect(evaluation).toMatchObject({ result: { kind: 'unchanged' }, due: deadline + 35 * SECOND, expectedFrom: null })
    expect(evaluate({}, [], deadline + 35 * SECOND).result).toMatchObject({ cause: 'heartbeat_missed' })
    expect(evaluate({}, [createAlive(66)], deadline + 35 * SECOND).result).toMatchObject({ kind: 'ok' })
  })

  it('has time until the next scheduled beat if it has a cron schedule', () => {
    const nightly: BeatSchedule = { periodMs: null, cron: '0 11 * * *', timeZone: 'UTC', graceMs: 300_000 }
    const state = { waitingSince: at(65), scheduleText: describeSchedule(nightly) }
    expect(evaluate(state, [], 100, { schedule: nightly })).toMatchObject({
      result: { kind: 'unchanged' },
      due: 24 * 60 + 65 + SECOND,
    })
  })

  it('has no extra time if Belfry was back long before the deadline', () => {
    expect(evaluate({ waitingSince: at(10) }, [], 40)).toMatchObject({ due: 65 + SECOND, expectedFrom: null })
  })

  it('has time until the next expected beat after its schedule was changed', () => {
    const everyTenMinutes = { ...hourly, periodMs: 600_000 }
    expect(evaluate({}, [], 50, { schedule: everyTenMinutes })).toMatchObject({
      result: { kind: 'unchanged' },
      due: 65 + SECOND,
    })
  })

  it('recovers with a beat that is processed late', () => {
    const evaluation = evaluate({ status: 'down', waitingSince: at(70) }, [createAlive(70)], 500)
    expect(evaluation).toMatchObject({ result: { kind: 'ok' }, due: 565 + SECOND })
  })
})
