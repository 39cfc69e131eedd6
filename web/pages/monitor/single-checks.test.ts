import { describe, expect, it } from 'vitest'
import type { RecentCheck } from './queries.ts'
import { mergeChecks, toCheckChart } from './single-checks.ts'

const start = Date.parse('2026-01-05T10:00:00.000Z')
const createCheck = (minute: number, fields: Partial<RecentCheck> = {}) =>
  ({
    checked_at: new Date(start + 60_000 * minute).toISOString(),
    ok: true,
    response_ms: 80 + minute,
    cause: null,
    detail: null,
    ...fields,
  }) as RecentCheck
const listTimes = (checks: readonly RecentCheck[]) =>
  checks.map(({ checked_at }) => (Date.parse(checked_at) - start) / 60_000)

describe('the checks of the last hour', () => {
  it('include newer checks, and start an hour before the newest one', () => {
    const hourChecks = [3, 2, 1].map((minute) => createCheck(minute))
    expect(
      listTimes(
        mergeChecks(
          hourChecks,
          [4, 3, 2].map((minute) => createCheck(minute)),
        ),
      ),
    ).toEqual([1, 2, 3, 4])
    expect(listTimes(mergeChecks(hourChecks, [createCheck(62)]))).toEqual([2, 3, 62])
    expect(mergeChecks([], [])).toEqual([])
  })

  it('are points at their times, and failed checks say why they failed', () => {
    const failedCheck = createCheck(7, { ok: false, response_ms: null, cause: 'timeout', detail: 'no response' })
    const { x, values, failures } = toCheckChart([createCheck(5), failedCheck], createCheck(8).checked_at)
    expect(x).toEqual([start / 1_000 + 300, start / 1_000 + 420])
    expect(values).toEqual([85, null])
    expect([...failures]).toEqual([[1, 'Timeout. No response.']])
  })

  it('fill the chart of a new monitor', () => {
    const getMinutes = (checks: RecentCheck[], to: number) =>
      toCheckChart(checks, createCheck(to).checked_at).xRange.map((seconds) => (seconds - start / 1_000) / 60)
    expect(getMinutes([createCheck(58)], 60)).toEqual([50, 60])
    expect(getMinutes([createCheck(20), createCheck(58)], 60)).toEqual([20, 60])
    expect(getMinutes([createCheck(-30), createCheck(58)], 60)).toEqual([0, 60])
    expect(getMinutes([createCheck(61)], 60)).toEqual([51, 61])
  })
})
