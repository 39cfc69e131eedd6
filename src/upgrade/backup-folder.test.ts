import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  backupFolderOf,
  listAutomaticBackups,
  nameBackup,
  removeOldBackups,
  removeUnfinishedBackups,
  selectOldBackups,
} from './backup-folder.ts'

/** Creates a data folder with files of these names in its backup folder. */
function createDataFolder(...names: string[]): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'belfry-backups-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  mkdirSync(backupFolderOf(dataDir))
  for (const name of names) writeFileSync(join(backupFolderOf(dataDir), name), 'backup')
  return dataDir
}

describe('the folder of automatic backups', () => {
  it('lists a backup with the schema versions and the time that its name contains', async () => {
    const createdAt = new Date('2026-11-16T23:00:05.999Z')
    const name = nameBackup({ from: 10, to: 11 }, createdAt)
    expect(name).toBe('before-10-to-11-20261116T230005Z.gz')
    const dataDir = createDataFolder(name)
    expect(await listAutomaticBackups(dataDir)).toEqual([
      {
        path: join(backupFolderOf(dataDir), name),
        from: 10,
        to: 11,
        createdAt: new Date('2026-11-16T23:00:05Z'),
        bytes: 6,
      },
    ])
  })

  it('lists no backups if it does not exist', async () => {
    expect(await listAutomaticBackups('/nonexistent')).toEqual([])
  })

  it('ignores folders, broken links and impossible times with the name of a backup', async () => {
    const dataDir = createDataFolder('before-1-to-2-20269999T999999Z.gz')
    mkdirSync(join(backupFolderOf(dataDir), 'before-1-to-2-20261101T000000Z.gz'))
    symlinkSync('/nonexistent', join(backupFolderOf(dataDir), 'before-1-to-2-20261102T000000Z.gz'))
    expect(await listAutomaticBackups(dataDir)).toEqual([])
  })

  it("is named in the error if it can't be read", async () => {
    const dataDir = createDataFolder()
    rmSync(backupFolderOf(dataDir), { recursive: true })
    writeFileSync(backupFolderOf(dataDir), 'not a folder')
    await expect(listAutomaticBackups(dataDir)).rejects.toThrow(
      `The folder of automatic backups can't be read: ENOTDIR: not a directory, scandir '${backupFolderOf(dataDir)}'.`,
    )
  })

  it('keeps the newest three backups from before upgrades and from before rollbacks, and all files that a person created', async () => {
    const ownFiles = [
      'before-the-holidays.gz',
      'belfry-backup-20261101T000000Z.gz',
      'before-1-to-2-20261101T000000Z.gz.old',
    ]
    const dataDir = createDataFolder(
      ...ownFiles,
      'before-7-to-8-20261101T000000Z.gz',
      'before-8-to-9-20261102T000000Z.gz',
      'before-9-to-10-20261103T000000Z.gz',
      'before-10-to-11-20261104T000000Z.gz',
      'before-11-to-10-20261105T000000Z.gz',
      'before-11-to-10-20261106T000000Z.gz',
      'before-11-to-10-20261107T000000Z.gz',
      'before-11-to-10-20261108T000000Z.gz',
    )
    await removeOldBackups(dataDir)
    expect(readdirSync(backupFolderOf(dataDir)).sort()).toEqual(
      [
        ...ownFiles,
        'before-8-to-9-20261102T000000Z.gz',
        'before-9-to-10-20261103T000000Z.gz',
        'before-10-to-11-20261104T000000Z.gz',
        'before-11-to-10-20261106T000000Z.gz',
        'before-11-to-10-20261107T000000Z.gz',
        'before-11-to-10-20261108T000000Z.gz',
      ].sort(),
    )
  })

  const createBackup = (from: number, to: number, day: number) => ({
    path: `${from}-${to}-${day}`,
    from,
    to,
    createdAt: new Date(Date.UTC(2026, 10, day)),
    bytes: 1,
  })

  it('replaces the backups of failed attempts, so that a restart loop removes no earlier backup', () => {
    const backups = [
      createBackup(10, 11, 9),
      createBackup(10, 11, 8),
      createBackup(10, 11, 7),
      createBackup(10, 11, 6),
      createBackup(9, 10, 2),
      createBackup(8, 9, 1),
    ]
    expect(selectOldBackups(backups)).toEqual(backups.slice(1, 4))
  })

  it('keeps the backup of an upgrade that was rolled back and then repeated', () => {
    const backups = [createBackup(10, 11, 9), createBackup(11, 10, 8), createBackup(10, 11, 7)]
    expect(selectOldBackups(backups)).toEqual([])
  })

  it('does not list unfinished files, and removes them', async () => {
    const unfinishedName = '.before-10-to-11-20261104T000000Z.gz.0a1b2c3d.part'
    const dataDir = createDataFolder(unfinishedName, '.my-notes.part')
    expect(await listAutomaticBackups(dataDir)).toEqual([])
    await removeUnfinishedBackups(dataDir)
    expect(readdirSync(backupFolderOf(dataDir))).toEqual(['.my-notes.part'])
  })
})
