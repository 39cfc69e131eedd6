/** Ctrl-C and its like: what must not be left behind is undone, then the process ends as it would have. */
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Undo = () => unknown

const undos = new Set<Undo>()
let undoing = false
let holding: Promise<unknown> = Promise.resolve()

async function interrupt(signal: (typeof signals)[number]): Promise<void> {
  // npm passes the terminal's signal on, so it may come twice.
  if (undoing) return
  undoing = true
  await holding.catch(() => {})
  for (const undo of [...undos].reverse()) await Promise.try(undo).catch(() => {})
  process.exit(128 + constants.signals[signal])
}

/** Returns what to call when there is nothing to undo any more. */
export function onInterrupt(undo: Undo): () => void {
  if (undos.size === 0) for (const signal of signals) process.on(signal, interrupt)
  undos.add(undo)
  return () => {
    undos.delete(undo)
    if (undos.size === 0) for (const signal of signals) process.off(signal, interrupt)
  }
}

/** For what is whole only when it is done to its end: a signal waits for it. */
export function withoutInterrupts<T>(work: () => Promise<T>): Promise<T> {
  const working = work()
  holding = working
  return working
}

/** While a signal is being answered, errors are only its echo: whoever waits here is never heard of again. */
export function unlessInterrupted(): Promise<void> {
  return undoing ? new Promise(() => {}) : Promise.resolve()
}
