/** Data folders that must work, and those that must be refused with advice. */

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartupError } from '../../src/lib/startup-error.ts'
import { DiskSpace } from '../../src/nodes/disk-space.ts'
import { findRunningEmbedded, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { createDataFolder } from '../support/data-folder.ts'
import {
  canUseRootOnlyFolders,
  changeOwnerOfAll,
  createDataDirPath,
  createRecordingLog,
  createTestFolder,
  isRowStored,
  killProcess,
  killProcessesAfterTest,
  LONG_PATH,
  mountUntilTestEnds,
  runsAsRoot,
  startForTest,
  startOwner,
  storeRow,
  useSharedDataDir,
} from '../support/embedded.ts'
import { isFaultsRun } from '../support/faults-run.ts'

const sharedDataDir = useSharedDataDir()
let sharedRowId: string | undefined

/** Returns the id of a row in the shared data folder. The first test that needs it stores it, and the others save a start of PostgreSQL. */
async function provideSharedRow(): Promise<string> {
  if (sharedRowId !== undefined) return sharedRowId
  const dataDir = sharedDataDir()
  const database = await startForTest(dataDir)
  sharedRowId = await storeRow(dataDir)
  await database.stop()
  return sharedRowId
}

describe('a data folder', () => {
  it('can have a path that is too long for a socket', async () => {
    const dataDir = killProcessesAfterTest(join(createTestFolder(), ...LONG_PATH))
    // Unless `npm run faults` runs this test, only tests/faults/embedded-kill.test.ts runs initdb in a folder with this path.
    if (!isFaultsRun) {
      mkdirSync(dirname(dataDir))
      await createDataFolder(dataDir)
    }
    const ownerProcess = await startOwner(dataDir)
    const runningDatabase = await findRunningEmbedded(dataDir)
    expect(runningDatabase?.address.host).toMatch(/^\/proc\/self\/fd\/\d+$/)
    runningDatabase?.close()
    const id = await storeRow(dataDir)
    await killProcess(ownerProcess)

    const { address } = await startForTest(dataDir)
    expect(address.host).toMatch(/^\/proc\/self\/fd\/\d+$/)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it.skipIf(!canUseRootOnlyFolders)('may be accessible only to its owner', async () => {
    const dataDir = createDataDirPath({ mode: 0o700 })
    const ownerProcess = await startOwner(dataDir)
    const id = await storeRow(dataDir)
    await killProcess(ownerProcess)
    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
    expect(statSync(layoutOf(dataDir).cluster).uid).toBe(process.getuid?.())
  })

  it.skipIf(!runsAsRoot || !canUseRootOnlyFolders)('may be closed to other users and opened again later', async () => {
    const dataDir = sharedDataDir()
    const id = await provideSharedRow()
    for (const mode of [0o700, 0o711]) {
      chmodSync(dirname(dataDir), mode)
      const database = await startForTest(dataDir)
      expect(await isRowStored(dataDir, id)).toBe(true)
      await database.stop()
    }
  })

  it.skipIf(!runsAsRoot)('may have been copied by root, with permissive file modes', async () => {
    const dataDir = sharedDataDir()
    const id = await provideSharedRow()
    changeOwnerOfAll(dataDir, { uid: 0, gid: 0 })
    chmodSync(layoutOf(dataDir).cluster, 0o755)
    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it.skipIf(!runsAsRoot)('that other users can change is refused if root has not switched to its owner', async () => {
    const dataDir = createDataDirPath()
    mkdirSync(dataDir)
    chownSync(dataDir, 1, 1)
    expect((await getRefusal(dataDir)).message).toMatch(/belongs to user 1, so root can't use it safely/)
    chownSync(dataDir, 0, 0)
    chmodSync(dataDir, 0o1777)
    expect((await getRefusal(dataDir)).message).toMatch(/^Other users can write to the data folder/)
    chmodSync(dataDir, 0o775)
    chownSync(dataDir, 0, 1)
    expect((await getRefusal(dataDir)).message).toMatch(/^Other users can write to the data folder/)
    expect(readdirSync(dataDir)).toEqual([])
  })

  it.each([
    { version: '99', advice: /newer version of Belfry/ },
    { version: '9', advice: /older version of Belfry/ },
  ])('created by PostgreSQL $version is refused and left unchanged', async ({ version, advice }) => {
    const dataDir = createDataDirPath()
    const { cluster } = layoutOf(dataDir)
    mkdirSync(cluster, { recursive: true })
    writeFileSync(join(cluster, 'PG_VERSION'), `${version}\n`)
    const error = await getRefusal(dataDir)
    expect(error.message).toMatch(
      new RegExp(`created by PostgreSQL ${version}, but this version of Belfry includes PostgreSQL 18\\.`),
    )
    expect(error.hint).toMatch(advice)
    expect(readFileSync(join(cluster, 'PG_VERSION'), 'utf8')).toBe(`${version}\n`)
  })

  it('with other files in place of the database is refused and left unchanged', async () => {
    const dataDir = createDataDirPath()
    const { cluster } = layoutOf(dataDir)
    mkdirSync(cluster, { recursive: true })
    writeFileSync(join(cluster, 'notes.txt'), 'hello')
    expect((await getRefusal(dataDir)).message).toMatch(/contains no PostgreSQL database/)
    expect(readFileSync(join(cluster, 'notes.txt'), 'utf8')).toBe('hello')
  })

  it('that is a file is refused', async () => {
    const file = join(createTestFolder(), 'file')
    writeFileSync(file, '')
    expect((await getRefusal(file)).message).toMatch(/a file has the same path/)
    expect((await getRefusal(join(file, 'data'))).message).toMatch(/a file has the same path/)
  })

  it.skipIf(runsAsRoot)('without write permission is refused', async () => {
    const folder = createTestFolder()
    chmodSync(folder, 0o500)
    expect((await getRefusal(folder)).message).toMatch(/not accessible to user/)
    expect((await getRefusal(join(folder, 'data'))).message).toMatch(/not accessible to user/)
    chmodSync(folder, 0o700)
  })

  it.skipIf(!runsAsRoot)('on a read-only file system is refused', async (context) => {
    const folder = createTestFolder()
    if (!mountUntilTestEnds(folder, '-t', 'tmpfs', '-o', 'ro', 'tmpfs')) context.skip('mounting is forbidden here')
    expect((await getRefusal(folder)).message).toMatch(/read-only file system/)
    expect((await getRefusal(join(folder, 'data'))).message).toMatch(/read-only file system/)
  })

  it.skipIf(!runsAsRoot)('on a full disk is refused, and works when there is space', async (context) => {
    const folder = createTestFolder()
    if (!mountUntilTestEnds(folder, '-t', 'tmpfs', '-o', 'size=150m,mode=711', 'tmpfs'))
      context.skip('mounting is forbidden here')
    const dataDir = killProcessesAfterTest(join(folder, 'data'))
    const ballast = join(folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(130 << 20))
    expect((await getRefusal(dataDir)).message).toMatch(/^No space left/)
    expect(existsSync(layoutOf(dataDir).unfinishedCluster)).toBe(false)

    rmSync(ballast)
    // In `npm run test:system`, a copied database saves the time of initdb.
    if (!isFaultsRun) await createDataFolder(dataDir)
    const firstDatabase = await startForTest(dataDir)
    const id = await storeRow(dataDir)
    await firstDatabase.stop()

    expect(() => writeFileSync(ballast, Buffer.alloc(150 << 20))).toThrow(/ENOSPC/)
    expect((await getRefusal(dataDir)).message).toMatch(/^No space left/)

    rmSync(ballast)
    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it.skipIf(!runsAsRoot)(
    'on a disk that fills up is reported before it is full, and until there is space',
    async (context) => {
      const dataDir = createTestFolder()
      if (!mountUntilTestEnds(dataDir, '-t', 'tmpfs', '-o', 'size=260m', 'tmpfs'))
        context.skip('mounting is forbidden here')
      const log = createRecordingLog()
      const disk = new DiskSpace({
        config: { dataDir, databaseUrl: undefined },
        log: log as never,
        isReportedFull: () => false,
      })
      const file = join(dataDir, 'file')
      const checkWith = async (megabytes: number) => {
        rmSync(file, { force: true })
        expect(spawnSync('fallocate', ['--length', `${megabytes}MB`, file]).status).toBe(0)
        await disk.check()
        return disk.problem
      }
      expect(await checkWith(1)).toBeUndefined()
      expect(await checkWith(100)).toMatch(/^The disk of the data folder is almost full\./)
      expect(await checkWith(250)).toMatch(/^The disk of the data folder is full, /)
      expect(await checkWith(1)).toBeUndefined()
      expect(log.entries.map(({ level }) => level)).toEqual(['error', 'error', 'info'])
    },
  )

  it.skipIf(!runsAsRoot)('in the home folder of a user is refused if root has not switched to that user', async () => {
    const home = createTestFolder({ mode: 0o700 })
    changeOwnerOfAll(home, { uid: 65534, gid: 65534 })
    expect((await getRefusal(join(home, 'data'))).message).toMatch(/^User 65534 can replace the data folder/)
    expect(readdirSync(join(home, 'data'))).toEqual([])
  })
})

async function getRefusal(dataDir: string): Promise<StartupError> {
  const error = await startEmbedded({ dataDir, log: createRecordingLog(), settings: { fsync: 'off' } }).then(
    async (database) => {
      await database.stop()
      return undefined
    },
    (reason: unknown) => reason,
  )
  if (!(error instanceof StartupError)) throw new Error('expected a StartupError', { cause: error })
  expect(error.hint).not.toBe('')
  return error
}
