/** What is made of a file, made again when the file changes. */
import { readFileSync, statSync } from 'node:fs'

const LOOK_EVERY_MS = 1_000

/** A file that is not there, or closed to us, is an empty one. */
export function freshFile<T>(path: string, make: (text: string) => T): () => T {
  let lookedAt = Number.NEGATIVE_INFINITY
  let version: string | undefined
  let made: T
  return () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return made
    lookedAt = performance.now()
    const current = versionOf(path)
    if (current !== version) {
      made = make(read(path))
      version = current
    }
    return made
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs}`
}
