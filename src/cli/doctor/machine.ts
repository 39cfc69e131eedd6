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
  return [ok(`Node ${process.versions.node} on ${process.platform} ${process.arch}.`)]
}

const loopbackPattern = /^(127\.|::1$|localhost$|\[::1\]$)/

export async function checkPublicAddress({ host, url }: Config): Promise<DoctorDiagnosis[]> {
  if (url?.startsWith('https:')) return [ok(`The public address is ${url}.`)]
  if (loopbackPattern.test(host))
    return [ok(`The server listens on ${host} only${url === undefined ? '' : `; the public address is ${url}`}.`)]
  if (url === undefined) {
    return [
      warning(
        `The server listens on ${host}, but BELFRY_URL is not set: messages and reports will have no links.`,
        'Set it to the public https address.',
      ),
    ]
  }
  return [
    warning(
      `${url} is not https: passwords and keys travel unencrypted.`,
      'Use a reverse proxy with a certificate, and set BELFRY_URL to its https address.',
    ),
  ]
}

export async function checkDataFolder({ dataDir, databaseUrl }: Config): Promise<DoctorDiagnosis[]> {
  const stats = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error && stats.code === 'ENOENT') {
    return [warning(`The data folder ${dataDir} doesn't exist yet.`, 'The first start creates it.')]
  }
  if (stats instanceof Error) return [failure(`Can't read the data folder: ${stats.message}.`, 'Set BELFRY_DATA.')]
  if (!stats.isDirectory()) {
    return [failure(`The data folder ${dataDir} is a file.`, 'Move it, or set BELFRY_DATA to a folder.')]
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      failure(
        `The data folder ${dataDir} is not accessible to this user.`,
        'Make the user who runs Belfry its owner (chown -R).',
      ),
    ]
  }
  return [ok(`The data folder is ${dataDir}.`), ...(databaseUrl === undefined ? [await checkDiskSpace(dataDir)] : [])]
}

async function checkDiskSpace(dataDir: string): Promise<DoctorDiagnosis> {
  const freeBytes = await readFreeDiskBytes(dataDir)
  const message = `The disk of the data folder has ${formatBytes(freeBytes)} free.`
  if (freeBytes < MIN_FREE_DISK_BYTES) return failure(message, 'Free some space: PostgreSQL stops on a full disk.')
  return freeBytes < RECOMMENDED_FREE_BYTES ? warning(message, 'Free some space soon.') : ok(message)
}

/** Checks that this machine has everything that the embedded PostgreSQL needs. */
export async function checkEmbeddedPostgres({ databaseUrl }: Config): Promise<DoctorDiagnosis[]> {
  if (databaseUrl !== undefined) return []
  const diagnoses = [ok(`The embedded PostgreSQL is version ${findBinaries().version}.`)]
  if (process.platform !== 'linux') return diagnoses
  const flock = await run(['flock', '--version'])
  diagnoses.push(
    flock.code === 0
      ? ok('flock is installed. It keeps two servers from using one data folder.')
      : failure('The command flock is missing.', 'Install util-linux, or set DATABASE_URL to a PostgreSQL server.'),
  )
  if (isRoot()) diagnoses.push(await checkStartAsRoot())
  return diagnoses
}

async function checkStartAsRoot(): Promise<DoctorDiagnosis> {
  if (findNobody() !== undefined) return ok('As root, PostgreSQL runs as an unprivileged user.')
  const unshare = await run(['unshare', '--user', 'true'])
  if (unshare.code === 0) return ok('As root, PostgreSQL runs in a user namespace.')
  return failure(
    'PostgreSQL refuses to run as root, and there is neither a user "nobody" nor unshare.',
    'Run Belfry as an unprivileged user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** `path` replaces the system's search path for commands. */
export async function checkPing(path?: string): Promise<DoctorDiagnosis[]> {
  const ping = await findPingCommand(path)
  if ('unavailable' in ping) {
    const [reason = '', ...remedy] = ping.unavailable.split('. ')
    return [warning(`Ping monitors don't work: ${reason}.`, remedy.join('. '))]
  }
  return [ok(`Ping monitors use ${ping.command}.`)]
}
