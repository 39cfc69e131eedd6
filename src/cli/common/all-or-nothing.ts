/**
 * Runs work that takes effect completely or not at all. If the user interrupts it, a message says whether it took
 * effect.
 */
import type { Invocation } from './command.ts'
import { onInterrupt, withoutInterrupts } from './interrupts.ts'

/** `work` calls `onReadyToCommit` when only the commit remains. From then on, a signal waits for the commit. */
export async function runAllOrNothing<T>(
  { note }: Pick<Invocation, 'note'>,
  work: (onReadyToCommit: () => void) => Promise<T>,
): Promise<T> {
  const { promise: workEnded, resolve: resolveWorkEnded } = Promise.withResolvers<void>()
  let isCommitted = false
  onInterrupt(() =>
    note(
      isCommitted
        ? 'Interrupted, but everything was imported. Statistics catch up in the background.'
        : 'Interrupted. Nothing was changed.',
    ),
  )
  try {
    const result = await work(() => void withoutInterrupts(() => workEnded))
    isCommitted = true
    return result
  } finally {
    resolveWorkEnded()
  }
}
