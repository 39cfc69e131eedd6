/** Databases of released schema versions, with the data of tests/cli/backups. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { ensureRequestRole, tablesWithoutOwner } from '../../src/storage/access.ts'
import { type BackupContents, verifyContents } from '../../src/storage/backup/contents.ts'
import { commitLoad, loadContents } from '../../src/storage/backup/load.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { readBackup } from './read-backup.ts'

const backupsFolder = resolve(import.meta.dirname, '../cli/backups')

/** The path of the backup that the Belfry version with this schema created. */
export const backupOfSchema = (version: number) => join(backupsFolder, `schema-${version}.gz`)

export const releasedSchemas = readdirSync(backupsFolder)
  .map((name) => Number(/^schema-(\d+)\.gz$/.exec(name)?.[1]))
  .sort((a, b) => a - b)

/**
 * Protects the tables as a server of the old version does, because backups contain no policies. So a migration sees the
 * rows of users only if it has the right to. The files of migrations/access replace the policies afterwards.
 */
async function protectTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'belfry'::regnamespace and relkind in ('r', 'p') and relname <> all ($1)`,
    [Object.keys(tablesWithoutOwner)],
  )
  const statements = rows.map(
    ({ name }) => `alter table ${name} enable row level security, force row level security;
      create policy across_users on ${name} using (current_setting('belfry.across_users', true) = 'on')`,
  )
  await client.query(statements.join(';'))
}

/** Replaces all tables with those of the backup, in their old schema version. */
export async function loadOldSchema(connection: pg.ClientConfig, version: number): Promise<BackupContents> {
  const readBackupText = () => readBackup(backupOfSchema(version))
  const contents = await verifyContents(readBackupText(), () => {})
  await withOwnerConnection(connection, async (client) => {
    const roles = await ensureRequestRole(client)
    const callbacks = { onProgress: () => {}, onWait: () => {} }
    await loadContents(client, { contents, roles, keepsSchema: true, open: readBackupText, ...callbacks })
    await protectTables(client)
    await commitLoad(client)
  })
  return contents
}
