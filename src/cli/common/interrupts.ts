/** On Ctrl-C and other signals, cleans up first and then ends the process with the signal's exit code. */
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Cleanup = () => unknown

const cleanups = new Set<Cleanup>()
let isInterrupted = false
let uninterruptibleWork: Promise<unknown> = Promise.resolve()

async function interrupt(signal: (typeof signals)[number]): Promise<void> {
  // npm forwards the terminal's signal, so a signal may arrive twice.
  if (isInterrupted) return
  isInterrupted = true
  await uninterruptibleWork.catch(() => {})
  for (const cleanup of [...cleanups].reverse()) await Promise.try(cleanup).catch(() => {})
  process.exit(128 + constants.signals[signal])
}

/** Runs the cleanup if a signal arrives. Returns a function that removes the cleanup again. */
export function onInterrupt(cleanup: Cleanup): () => void {
  if (cleanups.size === 0) for (const signal of signals) process.on(signal, interrupt)
  cleanups.add(cleanup)
  return () => {
    cleanups.delete(cleanup)
    if (cleanups.size === 0) for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Runs work that must finish once it has begun: a signal waits for it. */
export function withoutInterrupts<T>(work: () => Promise<T>): Promise<T> {
  const promise = work()
  uninterruptibleWork = promise
  return promise
}

/**
 * Call it before reporting an error. After a signal the promise never resolves: the cleanup may have caused the error,
 * and `interrupt` ends the process after the cleanup.
 */
export function blockIfInterrupted(): Promise<void> {
  return isInterrupted ? new Promise(() => {}) : Promise.resolve()
}
