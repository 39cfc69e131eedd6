/** The order of test files. */
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders with the longest files come first, so that no worker is left with a long file at the end. */
const folders = ['tests/browser/', 'tests/cli/', 'tests/traffic/', 'tests/reports/', 'tests/api/', 'tests/', 'src/', '']
const faults = 'tests/faults/'

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const entries = files.map((file) => {
      const path = relative(this.ctx.config.root, file.moduleId)
      const folder = folders.findIndex((name) => path.startsWith(name))
      return { file, path, folder, size: statSync(file.moduleId).size }
    })
    const sorted = entries.sort((a, b) => a.folder - b.folder || b.size - a.size || a.path.localeCompare(b.path))
    const waiting = sorted.filter(({ path }) => path.startsWith(faults))
    const working = sorted.filter(({ path }) => !path.startsWith(faults))
    return interleave(working, waiting).map(({ file }) => file)
  }
}

/** Fault tests mostly wait, so they alternate with tests that keep the processor busy. */
function interleave<T>(working: readonly T[], waiting: readonly T[]): T[] {
  return [
    ...working.flatMap((file, index) => [file, ...waiting.slice(index, index + 1)]),
    ...waiting.slice(working.length),
  ]
}
