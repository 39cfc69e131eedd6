/** Root runs commands for a server of another user, with files that only root can open. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createDataFolder } from '../support/data-folder.ts'
import { changeOwnerOfAll } from '../support/embedded.ts'
import { backupOfSchema } from '../support/old-schema.ts'
import { TEST_SECRET } from '../support/server.ts'
import { belfryProcess, createTempFolder, startServerProcess } from './support.ts'
import { previousSchema } from './upgrade-support.ts'

/** The user who runs the server. No entry of /etc/passwd has this id. */
const SERVICE_USER = { uid: 4_000_000, gid: 4_000_000 }
/** A user with a name, which initdb needs. */
const DAEMON = 1

/** Whether other users can run Belfry. They can't if the checkout is in the home folder of root. */
const canOthersRun =
  spawnSync(process.execPath, [resolve(import.meta.dirname, '../../bin/belfry.js'), '--version'], SERVICE_USER)
    .status === 0

const listOwners = (folder: string) =>
  new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name)).uid))

describe.skipIf(process.getuid?.() !== 0 || !canOthersRun)('root, with the data folder of another user', () => {
  const folder = createTempFolder()
  afterAll(() => folder.remove())

  it('reads and writes files that only root can open, and leaves nothing of root in the folder', {
    timeout: 180_000,
  }, async () => {
    const data = folder.data('data')
    await createDataFolder(data)
    changeOwnerOfAll(data, SERVICE_USER)
    // The server has only the web role, so that it doesn't check the monitors of the backup.
    const env = { BELFRY_DATA: data, BELFRY_SECRET: TEST_SECRET, BELFRY_ROLES: 'web' }
    const rootsFolder = join(folder.path, 'own')
    mkdirSync(rootsFolder, { mode: 0o700 })
    copyFileSync(backupOfSchema(previousSchema), join(rootsFolder, 'old.gz'))
    const runCommand = async (words: string) => {
      const result = await belfryProcess(words, { env })
      expect(result, `${words}: ${result.stderr}`).toMatchObject({ code: 0 })
      return result
    }

    await runCommand(`restore ${rootsFolder}/old.gz --yes`)
    const server = await startServerProcess(env)
    try {
      expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:(\t4000000){4}\nGid:(\t4000000){4}$/m)
      await runCommand(`backup ${rootsFolder}/new.gz`)
      const repeatedResult = await belfryProcess(`backup ${rootsFolder}/new.gz`, { env })
      expect([repeatedResult.code, repeatedResult.stderr]).toEqual([
        1,
        expect.stringContaining(`${rootsFolder}/new.gz already exists.`),
      ])
      await runCommand(`backup ${rootsFolder}/new.gz --force`)
      await runCommand(`traffic export example.com ${rootsFolder}/events.csv`)
      await runCommand(`traffic import example.com ${rootsFolder}/events.csv --add`)
      await runCommand(`traffic export example.com ${rootsFolder}/totals --format plausible`)
      // The service user can link to any file from their own folder, so the import reads this folder with the rights of
      // that user.
      const usersFolder = folder.data('theirs')
      mkdirSync(usersFolder)
      symlinkSync(join(rootsFolder, 'events.csv'), join(usersFolder, 'events.csv'))
      changeOwnerOfAll(usersFolder, SERVICE_USER)
      const importResult = await belfryProcess(`traffic import example.com ${usersFolder} --add`, { env })
      expect([importResult.code, importResult.stderr]).toEqual([1, expect.stringContaining('permission denied')])
      // The service user can put a link at this path, so the backup is written with the rights of that user.
      await runCommand(`backup ${data}/inside.gz`)
      expect((await runCommand('doctor')).stdout).toContain('Settings: from the running server')
    } finally {
      await server.stop()
    }

    expect(readdirSync(rootsFolder).sort()).toEqual(['events.csv', 'new.gz', 'old.gz', 'totals'])
    expect(readdirSync(join(rootsFolder, 'totals'))).toHaveLength(10)
    expect(readdirSync(join(rootsFolder, 'totals'))[0]).toMatch(/^imported_\w+_\d{8}_\d{8}\.csv$/)
    expect([...listOwners(rootsFolder)]).toEqual([0])
    expect(statSync(join(rootsFolder, 'new.gz')).mode & 0o777).toBe(0o600)
    expect([...listOwners(data)]).toEqual([SERVICE_USER.uid])
  })

  it('can be the first to use it, in a home folder that only that user can access', { timeout: 180_000 }, async () => {
    const home = join(folder.path, 'home')
    mkdirSync(home, { mode: 0o700 })
    changeOwnerOfAll(home, { uid: DAEMON, gid: DAEMON })
    const data = folder.data('home/first')
    expect(await belfryProcess('user create ada@example.com', { env: { BELFRY_DATA: data } })).toMatchObject({
      code: 0,
    })
    expect(readdirSync(data)).toContain('postgres')
    expect([...listOwners(data)]).toEqual([DAEMON])
  })
})
