import { describe, expect, it, vi } from 'vitest'
import { createRecordingLog, WAIT_OPTIONS } from '../../../tests/support/embedded.ts'
import type { Postmaster, ProcessExit } from './postmaster.ts'
import { supervise } from './supervisor.ts'

/** A fake PostgreSQL process that exits when the test calls `end`. */
function createFakePostmaster(pid: number) {
  const { promise: exited, resolve: end } = Promise.withResolvers<ProcessExit>()
  const stop = vi.fn(async () => end({ code: 0, signal: null }))
  return { postmaster: { pid, exited, stop } satisfies Postmaster, end }
}

describe('the supervisor', () => {
  it('retries until PostgreSQL starts, and logs the failures and the restart', async () => {
    const [first, second] = [createFakePostmaster(1), createFakePostmaster(2)]
    const log = createRecordingLog()
    const launch = vi
      .fn<() => Promise<Postmaster>>()
      .mockRejectedValueOnce(new Error('the disk is full'))
      .mockResolvedValueOnce(second.postmaster)
    const supervisor = supervise({ postmaster: first.postmaster, launch, graceMs: 1, log })
    first.end({ code: null, signal: 'SIGKILL' })
    await vi.waitFor(() => expect(log.entries).toHaveLength(3), WAIT_OPTIONS)
    expect(log.entries.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: PostgreSQL stopped unexpectedly: it was killed by SIGKILL; restarting it',
      'error: PostgreSQL could not be restarted',
      'info: PostgreSQL is running again',
    ])
    await supervisor.stop()
    expect(second.postmaster.stop).toHaveBeenCalledOnce()
    expect(launch).toHaveBeenCalledTimes(2)
  })

  it('stops a PostgreSQL that becomes ready after stop()', async () => {
    const [first, late] = [createFakePostmaster(1), createFakePostmaster(2)]
    const pendingLaunch = Promise.withResolvers<Postmaster>()
    const launch = vi.fn(() => pendingLaunch.promise)
    const supervisor = supervise({ postmaster: first.postmaster, launch, graceMs: 1, log: createRecordingLog() })
    first.end({ code: 1, signal: null })
    await vi.waitFor(() => expect(launch).toHaveBeenCalledOnce(), WAIT_OPTIONS)
    const stopPromise = supervisor.stop()
    pendingLaunch.resolve(late.postmaster)
    await stopPromise
    expect(late.postmaster.stop).toHaveBeenCalledOnce()
  })

  it('starts nothing after stop()', async () => {
    const first = createFakePostmaster(1)
    const launch = vi.fn<() => Promise<Postmaster>>()
    const supervisor = supervise({ postmaster: first.postmaster, launch, graceMs: 1, log: createRecordingLog() })
    await supervisor.stop()
    expect(launch).not.toHaveBeenCalled()
  })
})
