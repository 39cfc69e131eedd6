import { closeSync, existsSync, lstatSync, readdirSync, readSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { openPrivateFileToRead } from '../../lib/private-file.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { diskFullError } from './data-folder.ts'
import type { Layout } from './layout.ts'

// With less free space than this, PostgreSQL can't even log that the disk is full.
const MIN_FREE_BYTES = 64 * 1024
const MAX_SHOWN_LINES = 12

export function explainStartFailure(summary: string, output: string, layout: Layout): StartupError {
  if (/No space left on device|Check free disk space|Disk quota exceeded/.test(output) || isDiskFull(layout)) {
    return diskFullError(layout.dataDir, { cause: new Error(output) })
  }
  const lines = output.trim().split('\n').slice(-MAX_SHOWN_LINES)
  return new StartupError(
    `${summary}:\n${lines.join('\n')}`,
    existsSync(layout.logFolder)
      ? `See PostgreSQL's log in ${layout.logFolder}, or set DATABASE_URL to a PostgreSQL server.`
      : 'Fix the reported problem, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/**
 * Remembers where the log files end now. The returned function reads everything that PostgreSQL has added since. PostgreSQL
 * writes its earliest output to stderr, which the caller reads itself.
 */
export function followLogs({ logFolder }: Layout): () => string {
  const sizeOf = (name: string) => lstatSync(join(logFolder, name)).size
  const initialSizes = new Map(readdirSync(logFolder).map((name) => [name, sizeOf(name)]))
  return () =>
    readdirSync(logFolder)
      .map((name) => readFrom(join(logFolder, name), initialSizes.get(name) ?? 0))
      .join('')
}

function readFrom(path: string, start: number): string {
  let fd: number | undefined
  try {
    fd = openPrivateFileToRead(path)
    const buffer = Buffer.alloc(64 * 1024)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start))
  } catch {
    // The entry is not a log file, or it has just been deleted. PostgreSQL's own output is enough.
    return ''
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function isDiskFull({ dataDir }: Layout): boolean {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize < MIN_FREE_BYTES
}
