import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import {
  createDataDirPath,
  createRecordingLog,
  isRowStored,
  queryEmbedded,
  readPostmasterPid,
  startForTest,
  startOwner,
  storeRow,
  useSharedDataDir,
  WAIT_OPTIONS,
} from '../../../tests/support/embedded.ts'
import { findRunningEmbedded, startEmbedded } from './embedded.ts'
import type { Identity } from './identity.ts'
import { layoutOf } from './layout.ts'
import { findProcessesIn } from './processes.ts'
import { run } from './run.ts'

const sharedDataDir = useSharedDataDir()

describe('the embedded PostgreSQL', () => {
  it('starts in an empty folder, and keeps its data across restarts', async () => {
    const dataDir = createDataDirPath()
    const first = await startForTest(dataDir)
    expect(first.address).toEqual({
      host: layoutOf(dataDir).socketFolder,
      port: 5432,
      user: 'belfry',
      database: 'belfry',
    })
    const id = await storeRow(dataDir)
    await first.stop()
    await first.stop()
    await vi.waitFor(async () => expect(await findProcessesIn(layoutOf(dataDir).cluster)).toEqual([]), WAIT_OPTIONS)

    const startedAt = performance.now()
    await startForTest(dataDir)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it('makes an unprivileged role the owner of the database, and repairs that role at the next start', async () => {
    const dataDir = sharedDataDir()
    const first = await startForTest(dataDir)
    await queryEmbedded(dataDir, 'alter role belfry superuser', 'postgres')
    await queryEmbedded(dataDir, 'alter database belfry owner to postgres', 'postgres')
    await first.stop()
    await startForTest(dataDir)
    const [role] = await queryEmbedded(
      dataDir,
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
         (select pg_get_userbyid(datdba) from pg_database where datname = 'belfry') as owner
         from pg_roles where rolname = current_user`,
    )
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: true,
      rolcreatedb: true,
      owner: 'belfry',
    })
  })

  it('uses checksums, sorts by code point, and applies extra settings', async () => {
    const dataDir = sharedDataDir()
    await startForTest(dataDir, { settings: { work_mem: '9MB' } })
    const [row] = await queryEmbedded(
      dataDir,
      `select current_setting('data_checksums') as checksums, current_setting('work_mem') as work_mem,
         pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
         from pg_database where datname = 'belfry'`,
    )
    expect(row).toEqual({ checksums: 'on', work_mem: '9MB', encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' })
  })

  it('listens on no network port, and only its folder gives access to the socket', async () => {
    const dataDir = sharedDataDir()
    await startForTest(dataDir, { settings: { listen_addresses: '127.0.0.1' } })
    const tcpTablePaths = ['tcp', 'tcp6'].map((name) => `/proc/net/${name}`).filter((path) => existsSync(path))
    const tcpInodes = new Set(tcpTablePaths.flatMap((path) => readFileSync(path, 'utf8').split('\n').map(parseInode)))
    const fileList = await runAsOwner(dataDir, (processFolder) => ['ls', '-l', `${processFolder}/fd`])
    const socketInodes = [...fileList.matchAll(/socket:\[(\d+)\]/g)].map(([, inode]) => inode)
    expect(socketInodes.length).toBeGreaterThan(0)
    expect(socketInodes.filter((inode) => tcpInodes.has(inode))).toEqual([])
    for (const folder of [layoutOf(dataDir).socketFolder, layoutOf(dataDir).cluster, layoutOf(dataDir).logFolder]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  it('refuses a second server immediately, naming the folder and the pid, and does not inherit the environment of its server', async () => {
    const dataDir = sharedDataDir()
    const owner = await startOwner(dataDir, { BELFRY_TEST_SECRET: 'confidential' })
    const startedAt = performance.now()
    const second = startEmbedded({ dataDir, log: createRecordingLog() })
    await expect(second).rejects.toThrow(new RegExp(`process ${owner.pid} on .* is using the data folder ${dataDir}`))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await queryEmbedded(dataDir, 'select 1 as one')).toEqual([{ one: 1 }])
    const environment = await runAsOwner(dataDir, (processFolder) => ['cat', `${processFolder}/environ`])
    expect(environment).toContain('PATH=')
    expect(environment).not.toContain('SECRET')
  })

  it('lets exactly one of two servers start when both start together', async () => {
    const dataDir = sharedDataDir()
    const results = await Promise.allSettled([startForTest(dataDir), startForTest(dataDir)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is found by the command line only while a server is running', async () => {
    const dataDir = sharedDataDir()
    expect(await findRunningEmbedded(join(dataDir, 'none'))).toBeUndefined()
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
    const database = await startForTest(dataDir)
    const runningDatabase = await findRunningEmbedded(dataDir)
    expect(runningDatabase?.address).toEqual(database.address)
    runningDatabase?.close()
    await database.stop()
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()
  })

  it("reports PostgreSQL's own message when it fails to start", async () => {
    const dataDir = sharedDataDir()
    const startPromise = startEmbedded({
      dataDir,
      log: createRecordingLog(),
      settings: { fsync: 'off', shared_buffers: 'plenty' },
    })
    await expect(startPromise).rejects.toThrow(
      /^PostgreSQL did not start:\n.*invalid value for parameter "shared_buffers"/,
    )
    await startForTest(dataDir)
  })
})

function parseInode(line: string): string | undefined {
  return line.trim().split(/\s+/)[9]
}

/** Runs a command as PostgreSQL's user, because root in a container can't read another user's process information. */
async function runAsOwner(dataDir: string, command: (processFolder: string) => [string, ...string[]]): Promise<string> {
  const { uid, gid } = statSync(layoutOf(dataDir).cluster)
  const identity: Identity = uid === process.getuid?.() ? { kind: 'self' } : { kind: 'user', uid, gid }
  return (await run(command(`/proc/${readPostmasterPid(dataDir)}`), { identity })).stdout
}
