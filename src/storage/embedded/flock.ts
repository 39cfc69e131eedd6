import { StartupError } from '../../lib/startup-error.ts'
import { run } from './run.ts'

/** macOS has no flock command. It isn't a server platform, so the pid in the lock file is enough protection there. */
export const hasFlock = process.platform === 'linux'

const CONFLICT_EXIT_CODE = 75

/**
 * Locks an open file. A flock(2) lock belongs to the open file, not to the process that requested it: the flock command
 * locks our descriptor, and the lock lasts until the last copy of that descriptor is closed, also when SIGKILL ends the process.
 * Unlike a pid or an abstract socket, it also works between containers that share a volume.
 */
export async function tryFlock(fd: number, options: { waitMs?: number; isShared?: boolean } = {}): Promise<boolean> {
  if (!hasFlock) return true
  const { waitMs = 0, isShared = false } = options
  const waitArguments = waitMs > 0 ? ['--timeout', String(waitMs / 1000)] : ['--nonblock']
  const modeArgument = isShared ? '--shared' : '--exclusive'
  const result = await run(
    ['flock', modeArgument, ...waitArguments, '--conflict-exit-code', String(CONFLICT_EXIT_CODE), '3'],
    {
      extraFd: fd,
    },
  )
  if (result.code === 0) return true
  if (result.code === CONFLICT_EXIT_CODE) return false
  if (result.failure?.code === 'ENOENT') {
    throw new StartupError(
      'The command "flock" is missing. Belfry needs it to keep two servers from using one data folder.',
      'Install the package util-linux, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  throw new StartupError(
    `The data folder can't be locked: ${result.failure?.message ?? result.stderr.trim()}`,
    'Keep the data folder on a local file system that supports flock.',
  )
}
