import { Problem } from '../lib/problem.ts'
import { type Invocation, UsageError } from './command.ts'
import { ask, isInteractive } from './prompt.ts'

/** For what cannot be undone: `--yes`, or the word typed by a person. */
export async function confirm(
  { options, note }: Pick<Invocation, 'options' | 'note'>,
  { warning, word }: { warning: string; word: string },
): Promise<void> {
  if (options['yes']) return
  if (!isInteractive()) throw new UsageError(`${warning} Add --yes to do it.`)
  note(warning)
  if ((await ask(`Type ${word} to go on: `)) === word) return
  throw new Problem('conflict', 'That is something else. Nothing was changed.')
}
