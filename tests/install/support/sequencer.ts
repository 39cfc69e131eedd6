/** Decides the order in which the test files run. */
import { basename } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest come first, so that no worker is left with one of them at the end. */
const order = ['debian.test.ts', 'image.test.ts', 'npm.test.ts', 'service.test.ts', 'clone.test.ts']

export class LongestInstallationFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (order.indexOf(basename(moduleId)) + order.length) % order.length
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}
