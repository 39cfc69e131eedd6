/** Sorts the test files. */
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose files run longest come first, after the slowest file, so that no worker is left with a slow file at the end. */
const pathOrder = [
  'tests/checker/maintenances.test.ts',
  'tests/browser/',
  'tests/cli/',
  'tests/alerts/',
  'tests/heartbeats/',
  'tests/traffic/',
  'tests/impact/',
  'tests/reports/',
  'tests/api/',
  'tests/',
  'src/',
  '',
]
const faultsFolder = 'tests/faults/'

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const entries = files.map((file) => {
      const path = relative(this.ctx.config.root, file.moduleId)
      const pathIndex = pathOrder.findIndex((name) => path.startsWith(name))
      return { file, path, pathIndex, size: statSync(file.moduleId).size }
    })
    const sortedEntries = entries.sort(
      (a, b) => a.pathIndex - b.pathIndex || b.size - a.size || a.path.localeCompare(b.path),
    )
    const waitingFiles = sortedEntries.filter(({ path }) => path.startsWith(faultsFolder))
    const busyFiles = sortedEntries.filter(({ path }) => !path.startsWith(faultsFolder))
    return interleave(busyFiles, waitingFiles).map(({ file }) => file)
  }
}

/** Fault tests mostly wait, so they alternate with tests that keep the processor busy. They start first, because they take longest. */
function interleave<T>(busyFiles: readonly T[], waitingFiles: readonly T[]): T[] {
  return [
    ...busyFiles.flatMap((file, index) => [...waitingFiles.slice(index, index + 1), file]),
    ...waitingFiles.slice(busyFiles.length),
  ]
}
