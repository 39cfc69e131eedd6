/**
 * Lists the slowest test files at the end of a run, and how busy the processors were, so that developers notice when
 * tests become slower.
 */
import { availableParallelism, cpus } from 'node:os'
import type { Reporter, TestModule } from 'vitest/node'

const MAX_FILES = 10

export interface TimedFile {
  path: string
  seconds: number
}

/** The lines start with the slowest file. A run of a few files has no list, because its output already shows their times. */
export function describeSlowestFiles(files: readonly TimedFile[]): string[] {
  if (files.length <= MAX_FILES) return []
  const slowestFiles = [...files].sort((a, b) => b.seconds - a.seconds).slice(0, MAX_FILES)
  return ['Slowest files:', ...slowestFiles.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`)]
}

/** How long all processors have worked since the machine started. */
const readBusySeconds = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000

/** Imports and hooks count towards the time of a file. */
function measureFile(file: TestModule): TimedFile {
  const { collectDuration, duration } = file.diagnostic()
  return { path: file.relativeModuleId, seconds: (collectDuration + duration) / 1_000 }
}

export class SlowestFilesReporter implements Reporter {
  #startedAt = 0
  #busySeconds = 0

  onTestRunStart(): void {
    this.#startedAt = performance.now()
    this.#busySeconds = readBusySeconds()
  }

  onTestRunEnd(files: readonly TestModule[]): void {
    const lines = describeSlowestFiles(files.map(measureFile))
    if (lines.length === 0) return
    const seconds = (performance.now() - this.#startedAt) / 1_000
    const busyShare = (readBusySeconds() - this.#busySeconds) / (seconds * availableParallelism())
    process.stdout.write(
      `${lines.join('\n')}\nThe processors were busy for ${Math.round(busyShare * 100)} % of ${Math.round(seconds)} s.\n\n`,
    )
  }
}
