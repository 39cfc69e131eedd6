import { Problem } from '../../lib/problem.ts'
import { type Invocation, UsageError } from './command.ts'
import { ask, isInteractive } from './prompt.ts'

/** Asks for confirmation of something that can't be undone, unless `--yes` is given. */
export async function confirm(
  { options, note }: Pick<Invocation, 'options' | 'note'>,
  { warning, word }: { warning: string; word: string },
): Promise<void> {
  if (options['yes']) return
  if (!isInteractive()) throw new UsageError(`${warning} Add --yes to confirm.`)
  note(warning)
  if ((await ask(`Type ${word} to confirm: `)) === word) return
  throw new Problem('conflict', "The confirmation didn't match. Nothing was changed.")
}
