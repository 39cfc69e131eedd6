/** Embedded databases of the previous schema version, which tests upgrade and roll back. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { readSupportedVersion } from '../../src/storage/migrations.ts'
import { backupFolderOf } from '../../src/upgrade/backup-folder.ts'
import { copyOriginal, createDataFolder } from '../support/data-folder.ts'
import { backupOfSchema } from '../support/old-schema.ts'
import { TEST_SECRET } from '../support/server.ts'
import { belfry } from './support.ts'

export const newestSchema = await readSupportedVersion()
export const previousSchema = newestSchema - 1

type DataFolderEnv = ReturnType<typeof createUpgradeEnv>

export const createUpgradeEnv = (dataDir: string) => ({ BELFRY_DATA: dataDir, BELFRY_SECRET: TEST_SECRET })

/** Creates a data folder with a database of the previous schema version. Returns the settings that use it. */
export async function createPreviousSchema(path: string): Promise<DataFolderEnv> {
  await copyOriginal('previous-schema', path, async (dataDir) => {
    await createDataFolder(dataDir)
    const words = ['rollback', backupOfSchema(previousSchema), '--yes']
    expect(await belfry(words, { env: createUpgradeEnv(dataDir) })).toMatchObject({ code: 0 })
    // The database was empty, so there was nothing to back up.
    expect(existsSync(backupFolderOf(dataDir))).toBe(false)
  })
  return createUpgradeEnv(path)
}

/** Returns the names of the files in the folder of automatic backups. */
export const listBackups = ({ BELFRY_DATA }: DataFolderEnv) => readdirSync(backupFolderOf(BELFRY_DATA)).sort()
