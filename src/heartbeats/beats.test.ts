import { describe, expect, it } from 'vitest'
import { type Beat, parseSignal, processBeat, type RunState, sortBeats } from './beats.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 5, 10, 0, seconds))
const createStart = (seconds: number): Beat => ({
  id: seconds,
  receivedAt: at(seconds),
  kind: 'start',
  exitCode: null,
  isFailure: false,
})
const createFinish = (seconds: number, exitCode = 0): Beat => ({
  id: seconds,
  receivedAt: at(seconds),
  kind: 'finish',
  exitCode,
  isFailure: exitCode !== 0,
})
const noRun: RunState = { lastBeatAt: null, runStartedAt: null }

describe('the path after the token', () => {
  it('says whether the job is alive, has started, has failed or has ended with an exit code', () => {
    expect(parseSignal(undefined)).toEqual({ kind: 'alive', exitCode: null, isFailure: false })
    expect(parseSignal('start')).toEqual({ kind: 'start', exitCode: null, isFailure: false })
    expect(parseSignal('fail')).toEqual({ kind: 'finish', exitCode: null, isFailure: true })
    expect(parseSignal('0')).toEqual({ kind: 'finish', exitCode: 0, isFailure: false })
    for (const code of [1, 2, 127, 130, 255]) {
      expect(parseSignal(String(code))).toEqual({ kind: 'finish', exitCode: code, isFailure: true })
    }
  })

  it('may be in capitals and end with a slash', () => {
    expect(parseSignal('')).toEqual(parseSignal(undefined))
    for (const segment of ['START', 'Start', 'start/']) expect(parseSignal(segment)).toEqual(parseSignal('start'))
    expect(parseSignal('3/')).toEqual(parseSignal('3'))
  })

  it('is rejected if it is neither a signal nor an exit code', () => {
    for (const segment of ['256', '999', '1000', '-1', '00', '01', '1.5', '1e2', ' 1', 'stop', 'start//', '٣']) {
      expect([segment, parseSignal(segment)]).toEqual([segment, undefined])
    }
  })
})

describe('a run', () => {
  const processBeats = (...beats: Beat[]) => {
    let state = noRun
    const durations = beats.map((beat) => {
      const processedBeat = processBeat(beat, state)
      state = processedBeat.state
      return processedBeat.processed.durationMs
    })
    return { durations, state }
  }

  it('lasts from its start to the next beat', () => {
    expect(processBeats(createStart(10), createFinish(52))).toEqual({
      durations: [null, 42_000],
      state: { lastBeatAt: at(52), runStartedAt: null },
    })
    const aliveBeat: Beat = { id: 1, receivedAt: at(30), kind: 'alive', exitCode: null, isFailure: false }
    expect(processBeats(createStart(10), aliveBeat).durations).toEqual([null, 20_000])
    expect(processBeats(createStart(10), createFinish(20, 3)).durations).toEqual([null, 10_000])
  })

  it('has no duration without a start, and ends only once', () => {
    expect(processBeats(createFinish(10), createFinish(20)).durations).toEqual([null, null])
    expect(processBeats(createStart(10), createFinish(20), createFinish(30)).durations).toEqual([null, 10_000, null])
  })

  it('begins with the later of two starts', () => {
    expect(processBeats(createStart(10), createStart(15), createFinish(20)).durations).toEqual([null, null, 5_000])
  })

  it('is not restarted by a start that arrives after its end', () => {
    expect(processBeats(createFinish(20), createStart(10))).toEqual({
      durations: [null, null],
      state: { lastBeatAt: at(20), runStartedAt: null },
    })
  })

  it('has its beats processed in the order in which nodes received them', () => {
    const [first, second] = sortBeats([
      { ...createFinish(20), id: 1 },
      { ...createStart(10), id: 2 },
    ])
    expect([first?.kind, second?.kind]).toEqual(['start', 'finish'])
    expect(
      sortBeats([
        { ...createFinish(10), id: 2 },
        { ...createStart(10), id: 1 },
      ]).map(({ id }) => id),
    ).toEqual([1, 2])
  })
})
