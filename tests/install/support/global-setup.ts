/** Packs this working copy once, before the tests, because several test files that run at the same time install the package. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { packBelfry } from './packed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of `belfry-<version>.tgz`. */
    npmPackage: string
    /** A folder for what test files share. It is deleted when the run ends. */
    sharedFolder: string
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  project.provide('npmPackage', await packBelfry())
  const sharedFolder = mkdtempSync(join(tmpdir(), 'belfry-shared-'))
  project.provide('sharedFolder', sharedFolder)
  return () => rmSync(sharedFolder, { recursive: true, force: true })
}
