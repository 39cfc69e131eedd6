import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readServerSettings, recordServerProcess } from './server-process.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'belfry-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const recordPath = () => join(dataDir, 'server.json')

describe.skipIf(process.platform !== 'linux')('the settings of a running server', () => {
  it('are not taken from a process that uses another folder', async () => {
    // The folder has a record of this process, but this process is not a server with this data folder.
    await recordServerProcess(dataDir)
    expect(await readServerSettings(dataDir)).not.toMatchObject({ kind: 'found' })
  })

  it('are not stored in the data folder', async () => {
    await recordServerProcess(dataDir)
    expect(Object.keys(JSON.parse(readFileSync(recordPath(), 'utf8')))).toEqual(['pid', 'startTicks'])
    expect(statSync(recordPath()).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['of a process that started at another time', () => JSON.stringify({ pid: process.pid, startTicks: '1' })],
    ['of a process that has ended', () => JSON.stringify({ pid: 2 ** 30, startTicks: '1' })],
    ['that is not JSON', () => 'pid 1'],
  ])('are not taken from a record %s', async (_case, formatRecord) => {
    writeFileSync(recordPath(), formatRecord())
    expect(await readServerSettings(dataDir)).toEqual({ kind: 'no-server' })
  })
})

describe('the record of a server process', () => {
  it('is kept if a server that started later has replaced it', async () => {
    const removeRecord = await recordServerProcess(dataDir)
    writeFileSync(recordPath(), '{"pid":1,"startTicks":"7"}')
    await removeRecord()
    expect(readFileSync(recordPath(), 'utf8')).toContain('"pid":1')
  })

  it('is not written without a data folder', async () => {
    const removeRecord = await recordServerProcess(join(dataDir, 'missing'))
    await removeRecord()
    expect(await readServerSettings(join(dataDir, 'missing'))).toEqual({ kind: 'no-server' })
  })
})
