import { describe, expect, it } from 'vitest'
import { DiskSpace, type DiskState, decideDiskState, describeDisk } from './disk-space.ts'

const MB = 1e6

describe('the disk', () => {
  it.each<[string, number | undefined, boolean, DiskState, DiskState]>([
    ['has enough space', 5_000 * MB, false, 'enough', 'enough'],
    ['has enough space with 200 MB free', 200 * MB, false, 'enough', 'enough'],
    ['is low below 200 MB', 199 * MB, false, 'enough', 'low'],
    ['stays low until 250 MB are free', 249 * MB, false, 'low', 'low'],
    ['is low after it was full, until 250 MB are free', 249 * MB, false, 'full', 'low'],
    ['has enough space again from 250 MB on', 250 * MB, false, 'low', 'enough'],
    ['is full below 32 MB', 31 * MB, false, 'low', 'full'],
    ['is full without any free space', 0, false, 'enough', 'full'],
    ['is full if PostgreSQL says so', 5_000 * MB, true, 'enough', 'full'],
    ['is full if PostgreSQL on another machine says so', undefined, true, 'enough', 'full'],
    [
      'has enough space if PostgreSQL is on another machine and does not say that it is full',
      undefined,
      false,
      'full',
      'enough',
    ],
  ])('%s', (_title, freeBytes, isReportedFull, previousState, state) => {
    expect(decideDiskState({ freeBytes, isReportedFull }, previousState)).toBe(state)
  })

  it('is described in a message that says what to do', () => {
    expect(describeDisk('enough', true)).toBeUndefined()
    expect(describeDisk('low', true)).toBe(
      'The disk of the data folder is almost full. When it is full, nothing new can be stored. Free some space on it.',
    )
    expect(describeDisk('full', true)).toBe(
      'The disk of the data folder is full, so nothing new can be stored. Free some space on it.',
    )
    expect(describeDisk('full', false)).toBe(
      'The disk of the PostgreSQL server is full, so nothing new can be stored. Free some space on that server.',
    )
  })
})

describe('the log about the disk', () => {
  function createDisk(databaseUrl?: string) {
    const lines: [level: string, fields: object, message: string][] = []
    const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
    const state = { freeBytes: 5_000 * MB, isReportedFull: false }
    const disk = new DiskSpace({
      config: { dataDir: '/var/lib/belfry', databaseUrl },
      log: { info: write('info'), error: write('error') } as never,
      isReportedFull: () => state.isReportedFull,
      readFreeBytes: async () => state.freeBytes,
    })
    return { disk, lines, state }
  }

  it('has one line for each change of the state, which names the folder', async () => {
    const { disk, lines, state } = createDisk()
    for (const freeBytes of [5_000 * MB, 150 * MB, 140 * MB, 20 * MB, 10 * MB, 5_000 * MB, 5_000 * MB]) {
      state.freeBytes = freeBytes
      await disk.check()
    }
    expect(lines.map(([level, fields]) => [level, fields])).toEqual([
      ['error', { folder: '/var/lib/belfry', freeBytes: 150 * MB }],
      ['error', { folder: '/var/lib/belfry', freeBytes: 20 * MB }],
      ['info', { folder: '/var/lib/belfry', freeBytes: 5_000 * MB }],
    ])
    expect(lines[1]?.[2]).toBe(describeDisk('full', true))
  })

  it('is about the disk of PostgreSQL on another machine, not about the disk of the data folder', async () => {
    const { disk, lines, state } = createDisk('postgres://db.example.com/belfry')
    state.freeBytes = 0
    await disk.check()
    expect(disk.problem).toBeUndefined()
    state.isReportedFull = true
    await disk.check()
    await disk.check()
    expect(lines).toEqual([['error', {}, expect.stringMatching(/^The disk of the PostgreSQL server is full, /)]])
    expect([disk.isFull, disk.freeBytes]).toEqual([true, 0])
  })

  it("has no line if the disk can't be read", async () => {
    const { disk, lines, state } = createDisk()
    state.freeBytes = Number.NaN
    await disk.check()
    expect([disk.problem, lines]).toEqual([undefined, []])
  })
})
