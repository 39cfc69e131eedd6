import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from './config.ts'
import { readServerEnvironment, readServerSettings, recordServerProcess } from './server-process.ts'
import type { Environment } from './settings.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'belfry-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const readSettings = async (folder: string) => readServerSettings(folder, await readServerEnvironment(folder))

const recordPath = () => join(dataDir, 'server.json')

/** Starts a process that does nothing, and records it as the server of the data folder. */
async function pretendServer(env: Environment, record: { configFile?: string } = {}): Promise<number> {
  const child = spawn('sleep', ['60'], { env: env as NodeJS.ProcessEnv, cwd: dataDir, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  // Linux shows the environment a moment after the process has started.
  await vi.waitFor(() => expect(readFileSync(`/proc/${child.pid}/environ`, 'utf8')).not.toBe(''), { timeout: 20_000 })
  writeFileSync(recordPath(), JSON.stringify({ pid: child.pid, startTicks: null, ...record }))
  return child.pid ?? 0
}

describe.skipIf(process.platform !== 'linux')('the settings of a running server', () => {
  it('are not taken from a process that uses another folder', async () => {
    // The folder has a record of this process, but this process is not a server with this data folder.
    await recordServerProcess(dataDir)
    expect(await readSettings(dataDir)).not.toMatchObject({ kind: 'found' })
  })

  it('come from its environment, its configuration file and its secret files', async () => {
    const configFile = join(dataDir, 'belfry.env')
    const secret = 's'.repeat(32)
    writeFileSync(
      configFile,
      'BELFRY_DATA=.\nPORT=8080\nBELFRY_URL=https://stats.example.com\nBELFRY_SECRET_FILE=secret',
    )
    writeFileSync(join(dataDir, 'secret'), secret)
    const pid = await pretendServer({ PORT: '9090' }, { configFile })
    const server = await readSettings(dataDir)
    if (server.kind !== 'found') throw new Error(`expected a server, not: ${server.kind}`)
    expect(server).toMatchObject({ pid, settings: { configFile }, changedFiles: [] })
    expect(parseConfig(server.settings)).toMatchObject({
      dataDir,
      port: 9090,
      url: 'https://stats.example.com',
      secret,
    })
    expect(readFileSync(recordPath(), 'utf8')).not.toContain(secret)

    const future = new Date(Date.now() + 60_000)
    utimesSync(join(dataDir, 'secret'), future, future)
    expect(await readSettings(dataDir)).toMatchObject({ changedFiles: [join(dataDir, 'secret')] })
  })

  it('do not include settings of a file that was created after its start', async () => {
    writeFileSync(join(dataDir, 'belfry.env'), 'PORT=1')
    await pretendServer({ BELFRY_DATA: dataDir })
    const server = await readSettings(dataDir)
    expect(server.kind === 'found' && [...server.settings.values.keys()]).toEqual(['BELFRY_DATA'])
  })

  it('are unknown if its configuration file is gone', async () => {
    const configFile = join(dataDir, 'missing.env')
    const pid = await pretendServer({ BELFRY_DATA: dataDir }, { configFile })
    const reason = `The configuration file ${configFile} doesn't exist.`
    expect(await readSettings(dataDir)).toEqual({ kind: 'hidden', pid, reason })
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are not taken from a process of another user, even if the record names it',
    async () => {
      const pid = await pretendServer({ BELFRY_DATA: dataDir })
      chownSync(dataDir, 65_534, 65_534)
      expect(await readSettings(dataDir)).toEqual({ kind: 'hidden', pid })
    },
  )

  it.skipIf(process.getuid?.() !== 0)('are not read through a link by root', async () => {
    await pretendServer({ BELFRY_DATA: dataDir })
    renameSync(recordPath(), join(dataDir, 'elsewhere'))
    symlinkSync('elsewhere', recordPath())
    expect(await readSettings(dataDir)).toEqual({ kind: 'no-server' })
  })

  it('are not stored in the data folder', async () => {
    await recordServerProcess(dataDir)
    expect(Object.keys(JSON.parse(readFileSync(recordPath(), 'utf8')))).toEqual(['pid', 'startTicks'])
    expect(statSync(recordPath()).mode & 0o777).toBe(0o600)
    await recordServerProcess(dataDir, '/etc/belfry/belfry.env')
    expect(JSON.parse(readFileSync(recordPath(), 'utf8'))).toMatchObject({ configFile: '/etc/belfry/belfry.env' })
  })

  it.each([
    ['of a process that started at another time', () => JSON.stringify({ pid: process.pid, startTicks: '1' })],
    ['of a process that has ended', () => JSON.stringify({ pid: 2 ** 30, startTicks: '1' })],
    ['that is not JSON', () => 'pid 1'],
  ])('are not taken from a record %s', async (_case, formatRecord) => {
    writeFileSync(recordPath(), formatRecord())
    expect(await readSettings(dataDir)).toEqual({ kind: 'no-server' })
  })
})

describe('the record of a server process', () => {
  it('is not removed by a server if a later server has replaced it', async () => {
    const removeRecord = await recordServerProcess(dataDir)
    writeFileSync(recordPath(), '{"pid":1,"startTicks":"7"}')
    await removeRecord()
    expect(readFileSync(recordPath(), 'utf8')).toContain('"pid":1')
  })

  it('is not written without a data folder', async () => {
    const removeRecord = await recordServerProcess(join(dataDir, 'missing'))
    await removeRecord()
    expect(await readSettings(join(dataDir, 'missing'))).toEqual({ kind: 'no-server' })
  })
})
