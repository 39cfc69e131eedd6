/** Work that is whole or not there at all, also for whoever interrupts it: they are told which. */
import type { Invocation } from './command.ts'
import { onInterrupt, withoutInterrupts } from './interrupts.ts'

/** `onComplete` is called when only the commit is left, which a signal waits for. */
export async function allOrNothing<T>(
  { note }: Pick<Invocation, 'note'>,
  work: (onComplete: () => void) => Promise<T>,
): Promise<T> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let isIn = false
  onInterrupt(() =>
    note(
      isIn
        ? 'Interrupted, but everything is in. What is not added up yet will be.'
        : 'Interrupted. Nothing was changed.',
    ),
  )
  try {
    const result = await work(() => void withoutInterrupts(() => ended))
    isIn = true
    return result
  } finally {
    end()
  }
}
