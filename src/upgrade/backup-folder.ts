/**
 * The folder of automatic backups. A backup's name says before which change of the schema version it was made, and when:
 * `before-10-to-11-20261116T230000Z.gz`. In the name of a backup from before a rollback, the higher version comes first.
 */
import type { Stats } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { requireNoLinkForRoot } from '../lib/private-file.ts'
import { StartupError } from '../lib/startup-error.ts'

/** Belfry keeps this many backups from before upgrades, and the same number from before rollbacks. */
const MAX_BACKUPS_PER_KIND = 3

const namePattern = /^before-(\d+)-to-(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.gz$/
const unfinishedPattern = /^\.before-\d+-to-\d+-\d{8}T\d{6}Z\.gz\.[0-9a-f]+\.part$/

interface SchemaStep {
  from: number
  to: number
}

export interface AutomaticBackup extends SchemaStep {
  path: string
  createdAt: Date
  bytes: number
}

export const backupFolderOf = (dataDir: string) => join(dataDir, 'backups')

export function nameBackup({ from, to }: SchemaStep, now: Date): string {
  return `before-${from}-to-${to}-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.gz`
}

export async function createBackupFolder(dataDir: string): Promise<string> {
  const folder = backupFolderOf(dataDir)
  requireNoLinkForRoot(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Lists the complete automatic backups, newest first. Ignores other files in the folder. */
export async function listAutomaticBackups(dataDir: string): Promise<AutomaticBackup[]> {
  const folder = backupFolderOf(dataDir)
  const backups: AutomaticBackup[] = []
  for (const name of await readNames(folder)) {
    const [, from, to, year, month, day, hour, minute, second] = namePattern.exec(name) ?? []
    if (from === undefined) continue
    const path = join(folder, name)
    const createdAt = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
    const file = await findFile(path)
    if (file === undefined || Number.isNaN(createdAt.getTime())) continue
    backups.push({ path, from: Number(from), to: Number(to), createdAt, bytes: file.size })
  }
  return backups.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.from - a.from)
}

export const isFromUpgrade = ({ from, to }: SchemaStep) => from < to

/** Returns the backups to delete. `backups` is sorted, newest first. */
export function selectOldBackups(backups: readonly AutomaticBackup[]): AutomaticBackup[] {
  const rollbackBackups = backups.filter((backup) => !isFromUpgrade(backup))
  /**
   * If two upgrades began with the same schema version, and no rollback was in between, the first upgrade failed. So
   * its backup can be deleted.
   */
  const isReplacedBy = (earlier: AutomaticBackup, later: AutomaticBackup) =>
    earlier !== later &&
    earlier.from === later.from &&
    !rollbackBackups.some(({ createdAt }) => createdAt >= earlier.createdAt && createdAt <= later.createdAt)
  const upgradeBackups = backups.filter(isFromUpgrade)
  const keptBackups = upgradeBackups
    .filter((backup, index) => !upgradeBackups.slice(0, index).some((later) => isReplacedBy(backup, later)))
    .slice(0, MAX_BACKUPS_PER_KIND)
    .concat(rollbackBackups.slice(0, MAX_BACKUPS_PER_KIND))
  return backups.filter((backup) => !keptBackups.includes(backup))
}

export async function removeOldBackups(dataDir: string): Promise<void> {
  for (const { path } of selectOldBackups(await listAutomaticBackups(dataDir))) await rm(path, { force: true })
}

/** Deletes the unfinished files of killed processes. Call it only while no other process can write backups to this folder. */
export async function removeUnfinishedBackups(dataDir: string): Promise<void> {
  const folder = backupFolderOf(dataDir)
  for (const name of await readNames(folder)) {
    if (unfinishedPattern.test(name)) await rm(join(folder, name), { force: true })
  }
}

async function readNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new StartupError(
      `The folder of automatic backups can't be read: ${error.message}.`,
      'Correct the permissions of this folder. If it is not a folder, move it away.',
      { cause: error },
    )
  })
}

/** Returns undefined for folders, for links without a target, and for a file that another process has deleted in the meantime. */
async function findFile(path: string): Promise<Stats | undefined> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined
    throw error
  })
  return stats?.isFile() ? stats : undefined
}
