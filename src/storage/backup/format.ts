/**
 * The format of a backup: lines of text, readable with `zcat`.
 *
 *   {"belfry_backup":1,…}                 the header: schema version and contents
 *   COPY users (id, email) FROM stdin;    one block per table, in PostgreSQL's COPY format
 *   1\tada@example.com
 *   \.
 *   {"sequences":[…],"secret":"…"}        everything that isn't a row
 *   {"rows":{"users":1},"sha256":"…"}     the trailer: SHA-256 of every byte before this line
 */
import { formatCommand } from '../../lib/program.ts'
import { StartupError } from '../../lib/startup-error.ts'

export const FORMAT_VERSION = 1

export interface TableShape {
  name: string
  columns: string[]
}

/** Backups list partitions because the server creates them over time, so the migrations alone would not restore them. */
export interface Partition {
  name: string
  parent: string
  /** The bound as PostgreSQL prints it: `FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')`. */
  bound: string
  /** If this partition has partitions itself, their partition key: `RANGE (day)`. Otherwise null. */
  key: string | null
}

export interface DatabaseShape {
  /** Schema version: the number of the last migration. */
  schema: number
  tables: TableShape[]
  partitions: Partition[]
}

export interface BackupHeader extends DatabaseShape {
  /** Version of the backup format. */
  belfry_backup: number
  /** Version of Belfry that created the backup. */
  belfry: string
  /** In an automatic backup, the version of Belfry that used the database before, if it is known. */
  previous_belfry?: string
  created_at: string
  /** Identifies the secret that encrypts values in the rows. null if no server has used the database yet. */
  secret_fingerprint: string | null
}

export interface Sequence {
  name: string
  /** A string, because it may exceed Number.MAX_SAFE_INTEGER. */
  value: string
  /** Whether `value` has been handed out already (PostgreSQL's `is_called`). */
  called: boolean
}

export interface BackupExtras {
  sequences: Sequence[]
  secret?: string
}

export interface BackupTrailer {
  rows: Record<string, number>
  sha256: string
}

export function damagedBackupError(problem: string, options?: ErrorOptions): StartupError {
  return new StartupError(`The backup is damaged: ${problem}.`, 'Use another backup. Nothing was changed.', options)
}

export function formatBlockStart({ name, columns }: TableShape): string {
  return `COPY ${name} (${columns.join(', ')}) FROM stdin;`
}

export const BLOCK_END = '\\.'

function parseJsonLine(line: string, lineName: string): Record<string, unknown> {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Invalid JSON gets the same error below as valid JSON that isn't an object.
  }
  throw damagedBackupError(`${lineName} is unreadable`)
}

export function parseHeader(line: string): BackupHeader {
  if (!line.startsWith('{"belfry_backup":')) {
    throw new StartupError('This file is not a Belfry backup.', `Use a file created by \`${formatCommand('backup')}\`.`)
  }
  const header = parseJsonLine(line, 'its first line') as unknown as BackupHeader
  if (header.belfry_backup !== FORMAT_VERSION) {
    throw new StartupError(
      `The backup has format ${header.belfry_backup}, but this version of Belfry reads format ${FORMAT_VERSION}.`,
      `Restore it with Belfry ${header.belfry} or newer.`,
    )
  }
  if (!Number.isInteger(header.schema) || !Array.isArray(header.tables) || !Array.isArray(header.partitions)) {
    throw damagedBackupError('its first line is incomplete')
  }
  return header
}

export function parseExtras(line: string): BackupExtras {
  const extras = parseJsonLine(line, 'its sequences line') as unknown as BackupExtras
  if (!Array.isArray(extras.sequences)) throw damagedBackupError('its sequences line is incomplete')
  return extras
}

export function parseTrailer(line: string): BackupTrailer {
  const trailer = parseJsonLine(line, 'its last line') as unknown as BackupTrailer
  if (typeof trailer.sha256 !== 'string' || typeof trailer.rows !== 'object') {
    throw damagedBackupError('its last line is incomplete')
  }
  return trailer
}
