/**
 * PostgreSQL's binaries come from an npm package. They find their shared libraries through symbolic links, which the
 * package's install script creates. We don't rely on that script, because npm may refuse to run it: this module creates the links.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** An entry of the package's pg-symlinks.json. Both paths are relative to the package. */
interface LibraryLink {
  /** The library that the link points to. */
  source: string
  /** Where the link is created. */
  target: string
}

/** Creates missing links. Returns the folder to search for libraries, if the links could not be created in the package. */
export function linkLibraries(packageDir: string, fallbackDir: string): string | undefined {
  const missingLinks = readLinks(packageDir).filter(({ target }) => !existsSync(join(packageDir, target)))
  if (missingLinks.length === 0) return undefined
  try {
    for (const { source, target } of missingLinks) {
      link(relative(dirname(target), source), join(packageDir, target))
    }
    return undefined
  } catch {
    // The installation belongs to another user or is read-only.
    rmSync(fallbackDir, { recursive: true, force: true })
    mkdirSync(fallbackDir, { mode: 0o755 })
    for (const { source, target } of missingLinks) link(join(packageDir, source), join(fallbackDir, basename(target)))
    return fallbackDir
  }
}

function readLinks(packageDir: string): LibraryLink[] {
  const listPath = join(packageDir, 'native', 'pg-symlinks.json')
  return existsSync(listPath) ? (JSON.parse(readFileSync(listPath, 'utf8')) as LibraryLink[]) : []
}

function link(libraryPath: string, linkPath: string): void {
  try {
    symlinkSync(libraryPath, linkPath)
  } catch (error) {
    // Another server of the same installation created the link first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
