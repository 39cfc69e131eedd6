/** Opens the files that a command reads or writes for the user who runs it, such as a backup. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { canRedirect, findOwnerToSwitchTo } from '../../lib/privileges.ts'
import type { Invocation } from './command.ts'

/**
 * If the path is a folder, also returns a path below it: the command will open files in the folder, and these may be
 * links.
 */
function addEntry(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? [path, join(path, 'any', 'file')] : [path]
}

/**
 * Calls `open`. If root runs the command, the process then switches to the user who owns the data folder. `losesRights`
 * tells `open` that the process is root now, but no longer when it uses the files. If the owner of the data folder can
 * decide where a path leads to, as with a file in the data folder, the process switches to that user before `open`.
 * Otherwise, a link could lead root to any file.
 */
export async function openAndSwitchToOwner<T>(
  { config, switchToOwner }: Pick<Invocation, 'config' | 'switchToOwner'>,
  paths: readonly string[],
  open: (losesRights: boolean) => Promise<T>,
): Promise<T> {
  const owner = findOwnerToSwitchTo(config.dataDir)
  const losesRights = owner !== undefined && !paths.flatMap(addEntry).some((path) => canRedirect(owner, path))
  if (!losesRights) switchToOwner()
  const files = await open(losesRights)
  switchToOwner()
  return files
}
