/** Writes the whole database as one consistent text, while other connections keep writing. */
import { createHash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { readSequences } from './catalogue.ts'
import { type BackupExtras, type BackupHeader, BLOCK_END, FORMAT_VERSION, formatBlockStart } from './format.ts'
import { type Snapshot, withSnapshot } from './snapshot.ts'

export interface Dump {
  header: BackupHeader
  /** Streams the backup's text at the reader's pace. Works only while `work` of withDump is running. */
  text(options: { secret: string | undefined; onProgress: OnProgress }): AsyncGenerator<Buffer>
}

/** Called with the number of rows and bytes since the last call. */
export type OnProgress = (rows: number, bytes: number) => void

/** Requires a dedicated connection without pg's `query_timeout`, which would end the copy. */
export function withDump<T>(
  client: ClientBase,
  { belfryVersion, previousVersion, now }: { belfryVersion: string; previousVersion?: string | undefined; now: Date },
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  return withSnapshot(client, { purpose: 'backup' }, (snapshot) => {
    const { schema, secretFingerprint, tables, partitions } = snapshot
    const header: BackupHeader = {
      belfry_backup: FORMAT_VERSION,
      belfry: belfryVersion,
      ...(previousVersion === undefined ? {} : { previous_belfry: previousVersion }),
      schema,
      created_at: now.toISOString(),
      secret_fingerprint: secretFingerprint,
      tables,
      partitions,
    }
    return work({ header, text: (options) => dumpText(client, { snapshot, header, ...options }) })
  })
}

async function* dumpText(
  client: ClientBase,
  { snapshot, header, secret, onProgress }: { snapshot: Snapshot; header: BackupHeader } & Parameters<Dump['text']>[0],
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const rowCounts: Record<string, number> = {}
  const encodeAndHashLine = (text: string) => {
    const bytes = Buffer.from(`${text}\n`)
    hash.update(bytes)
    return bytes
  }
  yield encodeAndHashLine(JSON.stringify(header))
  for (const table of header.tables) {
    rowCounts[table.name] = 0
    yield encodeAndHashLine(formatBlockStart(table))
    for await (const chunk of snapshot.copyOut(table)) {
      const count = countLines(chunk)
      rowCounts[table.name] = (rowCounts[table.name] ?? 0) + count
      onProgress(count, chunk.length)
      hash.update(chunk)
      yield chunk
    }
    yield encodeAndHashLine(BLOCK_END)
  }
  const sequences = await readSequences(client, 'backup')
  const extras: BackupExtras = { sequences, ...(secret === undefined ? {} : { secret }) }
  yield encodeAndHashLine(JSON.stringify(extras))
  yield Buffer.from(`${JSON.stringify({ rows: rowCounts, sha256: hash.digest('hex') })}\n`)
}

/** Counts rows: each row is one line, because COPY escapes newlines inside values. */
export function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++
  return count
}
