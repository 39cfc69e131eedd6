/** Caches the parsed contents of a file, and parses it again when the file changes. */
import { readFileSync, statSync } from 'node:fs'

const RECHECK_INTERVAL_MS = 1_000

/** A missing or unreadable file counts as empty. */
export function cacheParsedFile<T>(path: string, parse: (text: string) => T): () => T {
  let checkedAt = Number.NEGATIVE_INFINITY
  let version: string | undefined
  let parsedContents: T
  return () => {
    if (performance.now() - checkedAt < RECHECK_INTERVAL_MS) return parsedContents
    checkedAt = performance.now()
    const currentVersion = readFileVersion(path)
    if (currentVersion !== version) {
      parsedContents = parse(readText(path))
      version = currentVersion
    }
    return parsedContents
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readFileVersion(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}
