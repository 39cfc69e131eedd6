import { StartupError } from '../../lib/startup-error.ts'
import { run } from './run.ts'

/** macOS has no flock command; there a pid in the lock file has to do (it is no server platform). */
export const hasFlock = process.platform === 'linux'

const CONFLICT = 75

/**
 * Locks an open file. flock(2) belongs to the open file and not to the process that asked: the short command locks our
 * descriptor, and the lock lasts until the last copy of that descriptor is closed, however its holders die.
 * It holds between containers that share a volume, which a pid or an abstract socket would not.
 */
export async function tryFlock(fd: number, options: { waitMs?: number; shared?: boolean } = {}): Promise<boolean> {
  if (!hasFlock) return true
  const { waitMs = 0, shared = false } = options
  const patience = waitMs > 0 ? ['--timeout', String(waitMs / 1000)] : ['--nonblock']
  const kind = shared ? '--shared' : '--exclusive'
  const outcome = await run(['flock', kind, ...patience, '--conflict-exit-code', String(CONFLICT), '3'], {
    extraFd: fd,
  })
  if (outcome.code === 0) return true
  if (outcome.code === CONFLICT) return false
  if (outcome.failure?.code === 'ENOENT') {
    throw new StartupError(
      'The command "flock" is missing; it keeps two servers off one data folder.',
      'Install the package util-linux, or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  throw new StartupError(
    `The data folder cannot be locked: ${outcome.failure?.message ?? outcome.stderr.trim()}`,
    'Keep the data folder on a local file system that supports flock.',
  )
}
