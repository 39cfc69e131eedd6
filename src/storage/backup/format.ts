/**
 * A backup as text, one thing a line, so that `zcat` shows it:
 *
 *   {"belfry_backup":1,…}                 the header: what follows, and of which schema
 *   COPY users (id, email) FROM stdin;    a block per table, as PostgreSQL's COPY writes it
 *   1\tada@example.com
 *   \.
 *   {"sequences":[…],"secret":"…"}        what is no row
 *   {"rows":{"users":1},"sha256":"…"}     the trailer: SHA-256 of every byte before this line
 */
import { StartupError } from '../../lib/startup-error.ts'

export const FORMAT_VERSION = 1

export interface TableShape {
  name: string
  columns: string[]
}

/** A piece of a partitioned table, made as time goes by and not by a migration. */
export interface Partition {
  name: string
  parent: string
  /** As PostgreSQL prints it: `FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')`. */
  bound: string
  /** Where it is partitioned once more: `RANGE (day)`. */
  key: string | null
}

export interface Header {
  belfry_backup: number
  belfry: string
  schema: number
  created_at: string
  /** The secret that the rows go with; null where no server has ever used the database. */
  secret_fingerprint: string | null
  tables: TableShape[]
  partitions: Partition[]
}

export interface Sequence {
  name: string
  /** Text: it may be beyond what a JavaScript number holds. */
  value: string
  called: boolean
}

export interface Rest {
  sequences: Sequence[]
  secret?: string
}

export interface Trailer {
  rows: Record<string, number>
  sha256: string
}

export function damaged(what: string, options?: ErrorOptions): StartupError {
  return new StartupError(`The backup is damaged: ${what}.`, 'Use another copy of it. Nothing was changed.', options)
}

export function blockStart({ name, columns }: TableShape): string {
  return `COPY ${name} (${columns.join(', ')}) FROM stdin;`
}

export const BLOCK_END = '\\.'

function parseLine(line: string, what: string): Record<string, unknown> {
  try {
    const value = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Told below, as anything else that is no object.
  }
  throw damaged(`${what} cannot be read`)
}

export function parseHeader(line: string): Header {
  if (!line.startsWith('{"belfry_backup":')) {
    throw new StartupError('This file is no backup of Belfry.', 'Give a file that `npm run belfry -- backup` has made.')
  }
  const header = parseLine(line, 'its first line') as unknown as Header
  if (header.belfry_backup !== FORMAT_VERSION) {
    throw new StartupError(
      `The backup has format ${header.belfry_backup}; this Belfry reads format ${FORMAT_VERSION}.`,
      `Restore it with Belfry ${header.belfry} or newer.`,
    )
  }
  if (!Number.isInteger(header.schema) || !Array.isArray(header.tables) || !Array.isArray(header.partitions)) {
    throw damaged('its first line lacks something')
  }
  return header
}

export function parseRest(line: string): Rest {
  const rest = parseLine(line, 'the line of sequences') as unknown as Rest
  if (!Array.isArray(rest.sequences)) throw damaged('the line of sequences lacks something')
  return rest
}

export function parseTrailer(line: string): Trailer {
  const trailer = parseLine(line, 'its last line') as unknown as Trailer
  if (typeof trailer.sha256 !== 'string' || typeof trailer.rows !== 'object') {
    throw damaged('its last line lacks something')
  }
  return trailer
}
