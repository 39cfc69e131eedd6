/** Runs work that takes effect completely or not at all, and tells the user which when they interrupt it. */
import type { Invocation } from './command.ts'
import { onInterrupt, withoutInterrupts } from './interrupts.ts'

/** `work` calls `onComplete` when only the commit is left. From then on a signal waits for it. */
export async function allOrNothing<T>(
  { note }: Pick<Invocation, 'note'>,
  work: (onComplete: () => void) => Promise<T>,
): Promise<T> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let isCommitted = false
  onInterrupt(() =>
    note(
      isCommitted
        ? 'Interrupted, but everything was imported. Statistics catch up in the background.'
        : 'Interrupted. Nothing was changed.',
    ),
  )
  try {
    const result = await work(() => void withoutInterrupts(() => ended))
    isCommitted = true
    return result
  } finally {
    end()
  }
}
