/** Finds the nodes that use a database, and those that would not work with its migrated schema. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import type { MigrationState } from '../storage/migrations.ts'
import { findOldestNodeSchema, readMigrationNotes } from './migration-notes.ts'
import { type NodeRow, readNodes } from './store.ts'

const POLL_INTERVAL_MS = 200

/**
 * Running nodes send a heartbeat every second, and the row of a killed node expires after 6 s. So this waits until each node has
 * sent another heartbeat or has expired, and returns those that are running.
 */
export async function findRunningNodes(client: ClientBase): Promise<NodeRow[]> {
  const firstRows = await readNodes(client)
  let rows = firstRows
  const firstTimes = new Map(firstRows.map(({ id, seenAt }) => [id, seenAt]))
  const hasSentHeartbeat = ({ id, seenAt }: NodeRow) => firstTimes.get(id) !== seenAt
  while (!rows.every(hasSentHeartbeat)) {
    await delay(POLL_INTERVAL_MS)
    rows = await readNodes(client)
  }
  return rows
}

export interface IncompatibleNodes {
  /** The number of processes. A process can have several nodes. */
  count: number
  oldestSchema: number
  /** The oldest schema version whose nodes would keep working. null if all nodes of earlier versions must stop. */
  requiredSchema: number | null
}

/** Returns undefined if all running nodes keep working after the pending migrations. */
export async function findIncompatibleNodes(
  nodes: readonly NodeRow[],
  { pendingMigrations }: Pick<MigrationState, 'pendingMigrations'>,
): Promise<IncompatibleNodes | undefined> {
  const pendingVersions = new Set(pendingMigrations.map((migration) => migration.version))
  if (pendingVersions.size === 0) return undefined
  const notes = (await readMigrationNotes()).filter((note) => pendingVersions.has(note.version))
  const requiredSchema = findOldestNodeSchema(notes)
  const newestVersion = Math.max(...pendingVersions)
  // Even if all earlier nodes must stop, nodes of the newest version may run: one may have migrated the database in the meantime.
  const minSchema = requiredSchema ?? newestVersion
  const incompatibleNodes = nodes.filter(({ schemaVersion }) => schemaVersion < minSchema)
  if (incompatibleNodes.length === 0) return undefined
  return {
    count: new Set(incompatibleNodes.map(({ processId }) => processId)).size,
    oldestSchema: Math.min(...incompatibleNodes.map(({ schemaVersion }) => schemaVersion)),
    requiredSchema,
  }
}

export function describeIncompatibleNodes({ count, oldestSchema, requiredSchema }: IncompatibleNodes): string {
  const nodes = count === 1 ? '1 node' : `${count} nodes`
  const verb = count === 1 ? 'is' : 'are'
  const limit =
    requiredSchema === null
      ? 'no node of an earlier version works with the migrated database'
      : `only nodes with schema version ${requiredSchema} or later work with the migrated database`
  return `${nodes} of an earlier version (schema version ${oldestSchema}) ${verb} still running, and ${limit}.`
}

export const incompatibleNodesRemedy =
  'Stop all nodes of earlier versions first, or upgrade them step by step: docs/upgrade.md says how.'

/** Call it before a migration. Throws if a running node would fail after it. */
export async function requireCompatibleNodes(client: ClientBase, state: MigrationState): Promise<void> {
  // If every node with a recent heartbeat is compatible, there is no need to wait and find out which of them still run.
  if ((await findIncompatibleNodes(await readNodes(client), state)) === undefined) return
  const incompatibleNodes = await findIncompatibleNodes(await findRunningNodes(client), state)
  if (incompatibleNodes === undefined) return
  throw new StartupError(
    `The database was not migrated: ${describeIncompatibleNodes(incompatibleNodes)} Nothing was changed.`,
    incompatibleNodesRemedy,
  )
}
