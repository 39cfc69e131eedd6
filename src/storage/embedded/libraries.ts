/**
 * The binaries find their shared libraries through symbolic links, which the npm package's install script creates. If install
 * scripts are disabled, this module creates the links.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

interface LibraryLink {
  /** The real file, relative to the package. */
  source: string
  target: string
}

/** Creates missing links. Returns the folder to search for libraries, if the links could not be created in the package. */
export function linkLibraries(packageDir: string, fallbackDir: string): string | undefined {
  const missing = readLinks(packageDir).filter(({ target }) => !existsSync(join(packageDir, target)))
  if (missing.length === 0) return undefined
  try {
    for (const { source, target } of missing) {
      link(relative(dirname(target), source), join(packageDir, target))
    }
    return undefined
  } catch {
    // The installation belongs to another user or is read-only.
    rmSync(fallbackDir, { recursive: true, force: true })
    mkdirSync(fallbackDir, { mode: 0o755 })
    for (const { source, target } of missing) link(join(packageDir, source), join(fallbackDir, basename(target)))
    return fallbackDir
  }
}

function readLinks(packageDir: string): LibraryLink[] {
  const list = join(packageDir, 'native', 'pg-symlinks.json')
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) : []
}

function link(to: string, path: string): void {
  try {
    symlinkSync(to, path)
  } catch (error) {
    // Another server of the same installation created the link first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
