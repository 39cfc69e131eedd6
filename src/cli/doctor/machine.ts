/** Checks this machine, without the database. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { findPingCommand } from '../../checker/probes/ping/commands.ts'
import type { Config } from '../../config/config.ts'
import { formatBytes } from '../../lib/format.ts'
import { MIN_FREE_DISK_BYTES, readFreeDiskBytes } from '../../nodes/disk-space.ts'
import { findBinaries } from '../../storage/embedded/binaries.ts'
import { isRoot } from '../../storage/embedded/identity.ts'
import { findNobody } from '../../storage/embedded/passwd.ts'
import { run } from '../../storage/embedded/run.ts'
import { type DoctorDiagnosis, failure, ok, warning } from './diagnosis.ts'

const RECOMMENDED_FREE_BYTES = 2e9

export async function checkNodeVersion(): Promise<DoctorDiagnosis[]> {
  return [ok(`Node: ${process.versions.node} on ${process.platform} ${process.arch}.`)]
}

const loopbackPattern = /^(127\.|::1$|localhost$|\[::1\]$)/

export async function checkPublicAddress({ host, url }: Config): Promise<DoctorDiagnosis[]> {
  if (url?.startsWith('https:')) return [ok(`Public URL: ${url}.`)]
  if (loopbackPattern.test(host)) return [ok(`Public URL: ${url ?? 'none'}. The server listens on ${host} only.`)]
  if (url === undefined) {
    return [
      warning(
        `Public URL: none, although the server listens on ${host}. Messages and reports will have no links.`,
        'Set BELFRY_URL to the public https address.',
      ),
    ]
  }
  return [
    warning(
      `Public URL: ${url} is not https, so passwords and keys travel unencrypted.`,
      'Use a reverse proxy with a certificate, and set BELFRY_URL to its https address.',
    ),
  ]
}

export async function checkDataFolder({ dataDir, databaseUrl }: Config): Promise<DoctorDiagnosis[]> {
  const stats = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error && stats.code === 'ENOENT') {
    return [warning(`Data folder: ${dataDir} doesn't exist yet.`, 'The first start creates it.')]
  }
  if (stats instanceof Error) return [failure(`Data folder: ${stats.message}.`, 'Set BELFRY_DATA.')]
  if (!stats.isDirectory()) {
    return [failure(`Data folder: ${dataDir} is a file.`, 'Move it, or set BELFRY_DATA to a folder.')]
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      failure(
        `Data folder: ${dataDir} is not accessible to this user.`,
        'Make the user who runs Belfry its owner (chown -R).',
      ),
    ]
  }
  return [ok(`Data folder: ${dataDir}.`), ...(databaseUrl === undefined ? [await checkDiskSpace(dataDir)] : [])]
}

async function checkDiskSpace(dataDir: string): Promise<DoctorDiagnosis> {
  const freeBytes = await readFreeDiskBytes(dataDir)
  const message = `Disk space: ${formatBytes(freeBytes)} free on the disk of the data folder.`
  if (freeBytes < MIN_FREE_DISK_BYTES) return failure(message, 'Free some space: PostgreSQL stops on a full disk.')
  return freeBytes < RECOMMENDED_FREE_BYTES ? warning(message, 'Free some space soon.') : ok(message)
}

/** Checks that this machine has everything that the embedded PostgreSQL needs. */
export async function checkEmbeddedPostgres({ databaseUrl }: Config): Promise<DoctorDiagnosis[]> {
  if (databaseUrl !== undefined) return []
  const diagnoses = [ok(`Embedded PostgreSQL: version ${findBinaries().version}.`)]
  if (process.platform !== 'linux') return diagnoses
  const flock = await run(['flock', '--version'])
  diagnoses.push(
    flock.code === 0
      ? ok('Embedded PostgreSQL: flock is installed, which keeps two servers from using one data folder.')
      : failure(
          'Embedded PostgreSQL: the command flock is missing.',
          'Install util-linux, or set DATABASE_URL to a PostgreSQL server.',
        ),
  )
  if (isRoot()) diagnoses.push(await checkStartAsRoot())
  return diagnoses
}

async function checkStartAsRoot(): Promise<DoctorDiagnosis> {
  if (findNobody() !== undefined) return ok('Embedded PostgreSQL: runs as an unprivileged user if root starts it.')
  const unshare = await run(['unshare', '--user', 'true'])
  if (unshare.code === 0) return ok('Embedded PostgreSQL: runs in a user namespace if root starts it.')
  return failure(
    'Embedded PostgreSQL: refuses to run as root, and there is neither a user "nobody" nor unshare.',
    'Run Belfry as an unprivileged user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** `path` replaces the system's search path for commands. */
export async function checkPing(path?: string): Promise<DoctorDiagnosis[]> {
  const ping = await findPingCommand(path)
  if ('unavailable' in ping) {
    const [reason = '', ...remedy] = ping.unavailable.split('. ')
    return [warning(`Ping monitors: don't work, because ${reason}.`, remedy.join('. '))]
  }
  return [ok(`Ping monitors: use ${ping.command}.`)]
}
