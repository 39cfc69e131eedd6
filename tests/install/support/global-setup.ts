/** Packs this working copy once, before the tests, because several test files that run at the same time install the package. */
import type { TestProject } from 'vitest/node'
import { packBelfry } from './packed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of `belfry-<version>.tgz`. */
    npmPackage: string
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide('npmPackage', await packBelfry())
}
