/** Collects what an administrator needs to know before an upgrade. Changes nothing. */
import type { ClientBase } from 'pg'
import type { Config } from '../config/config.ts'
import { readMigrationState, readSupportedVersion } from '../storage/migrations.ts'
import { type BackupDiskSpace, readBackupDiskSpace } from './disk-space.ts'
import { readMigrationNotes } from './migration-notes.ts'
import { findIncompatibleNodes, findRunningNodes, type IncompatibleNodes } from './running-nodes.ts'

export interface PendingMigration {
  name: string
  summary: string
  worksBesideSchema: number | null
}

export interface DatabaseFacts {
  schema: number
  supportedSchema: number
  pendingMigrations: PendingMigration[]
  /** The number of running processes, by the newest schema version that their code knows. */
  nodes: { schema: number; count: number }[]
  /** undefined if all running nodes keep working after the migrations. */
  incompatibleNodes: IncompatibleNodes | undefined
  /** Disk space for the automatic backup. undefined if there will be no backup. */
  diskSpace: BackupDiskSpace | undefined
}

/** Throws if the database is newer than this version of Belfry. */
export async function readDatabaseFacts(
  client: ClientBase,
  { dataDir, databaseUrl, hasUpgradeBackups }: Pick<Config, 'dataDir' | 'databaseUrl' | 'hasUpgradeBackups'>,
): Promise<DatabaseFacts> {
  const state = await readMigrationState(client)
  const notes = new Map((await readMigrationNotes()).map((note) => [note.version, note]))
  const nodes = await findRunningNodes(client)
  const processIdsBySchema = new Map<number, Set<string>>()
  for (const { processId, schemaVersion } of nodes) {
    processIdsBySchema.getOrInsertComputed(schemaVersion, () => new Set()).add(processId)
  }
  return {
    schema: state.version,
    supportedSchema: await readSupportedVersion(),
    pendingMigrations: state.pendingMigrations.map(({ name, version }) => ({
      name,
      summary: notes.get(version)?.summary ?? '',
      worksBesideSchema: notes.get(version)?.worksBesideSchema ?? null,
    })),
    nodes: [...processIdsBySchema].map(([schema, { size }]) => ({ schema, count: size })),
    incompatibleNodes: state.version === 0 ? undefined : await findIncompatibleNodes(nodes, state),
    diskSpace: databaseUrl === undefined && hasUpgradeBackups ? await readBackupDiskSpace(client, dataDir) : undefined,
  }
}
