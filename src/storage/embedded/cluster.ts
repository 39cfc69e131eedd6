import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import type { Binaries } from './binaries.ts'
import { chownTree, makePrivateFolder } from './data-folder.ts'
import { getCurrentIds, getOwnerFor, type Identity, isRoot } from './identity.ts'
import type { Layout } from './layout.ts'
import { run } from './run.ts'
import { explainStartFailure } from './start-failure.ts'

/** Refuses a cluster that these binaries can't open, before anything is changed. */
export function checkCluster({ cluster }: Layout, { majorVersion, version }: Binaries): void {
  if (!existsSync(cluster)) return
  const { uid } = statSync(cluster)
  if (!isRoot() && uid !== getCurrentIds().uid) {
    throw new StartupError(
      `The database in ${cluster} belongs to user ${uid}, not to user ${getCurrentIds().uid}, who runs Belfry.`,
      'Run Belfry as that user, or change the owner of the data folder (chown -R).',
    )
  }
  if (!existsSync(versionFilePath(cluster))) {
    if (readdirSync(cluster).length === 0) return
    throw new StartupError(
      `The folder ${cluster} is not empty and contains no PostgreSQL database.`,
      'Move its contents elsewhere, or choose another data folder.',
    )
  }
  const createdByVersion = readFileSync(versionFilePath(cluster), 'utf8').trim()
  if (createdByVersion !== String(majorVersion)) {
    throw new StartupError(
      `The database in ${cluster} was created by PostgreSQL ${createdByVersion}, but this version of Belfry includes PostgreSQL ${version}.`,
      Number(createdByVersion) > majorVersion
        ? 'Install the newer version of Belfry that created it.'
        : `Start the older version of Belfry that includes PostgreSQL ${createdByVersion}, create a backup, and restore it into a new data folder.`,
    )
  }
}

export interface ClusterOptions {
  layout: Layout
  binaries: Binaries
  identity: Identity
  libraryPath: string | undefined
  clusterFd: number
  /** Tests pass false, which skips the fsync of the new cluster. */
  shouldSync: boolean
}

/** Creates the cluster, or changes the owner of an existing one to `identity`. Returns whether it is new. */
export async function ensureCluster(options: ClusterOptions): Promise<boolean> {
  const { layout, identity } = options
  rmSync(layout.unfinishedCluster, { recursive: true, force: true })
  const isNew = !existsSync(versionFilePath(layout.cluster))
  if (isNew) await createCluster(options)
  else adoptCluster(layout, identity)
  makePrivateFolder(layout.socketFolder, identity)
  makePrivateFolder(layout.logFolder, identity)
  return isNew
}

/** Creates the cluster under another name and renames it, so that a kill at any time leaves a complete cluster or none. */
async function createCluster(options: ClusterOptions): Promise<void> {
  const { layout, identity, libraryPath, clusterFd } = options
  try {
    makePrivateFolder(layout.unfinishedCluster, identity)
    const result = await run(createInitdbCommand(options), {
      identity,
      libraryPath,
      // The next start finds an orphaned initdb by its working directory.
      cwd: layout.unfinishedCluster,
      extraFd: clusterFd,
    })
    if (result.code !== 0) {
      throw explainStartFailure('initdb failed', result.failure?.message ?? result.stdout + result.stderr, layout)
    }
    renameSync(layout.unfinishedCluster, layout.cluster)
    // Without fsync a power failure could undo the rename, and the next start would delete the cluster as unfinished.
    syncFolder(layout.dataDir)
  } catch (error) {
    rmSync(layout.unfinishedCluster, { recursive: true, force: true })
    throw error
  }
}

function createInitdbCommand({ layout, binaries, shouldSync }: ClusterOptions): [string, ...string[]] {
  return [
    binaries.initdb,
    `--pgdata=${layout.unfinishedCluster}`,
    '--username=postgres',
    '--data-checksums',
    '--encoding=UTF8',
    // Sorting by code point is the same on every machine and in every version, so indexes stay valid.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    // These rules apply only if somebody starts PostgreSQL without Belfry. Belfry uses those of connection-rules.ts.
    '--auth-local=peer',
    '--auth-host=reject',
    '--no-instructions',
    ...(shouldSync ? [] : ['--no-sync']),
  ]
}

function adoptCluster({ cluster }: Layout, identity: Identity): void {
  if (isRoot()) {
    const { uid, gid } = getOwnerFor(identity)
    const isOwnedByIdentity = [cluster, versionFilePath(cluster)].every((path) => statSync(path).uid === uid)
    if (!isOwnedByIdentity) {
      // Changes the version file first and the cluster's folder last. If this is interrupted, the two have different owners,
      // so the check above fails at the next start, and the change is repeated.
      lchownSync(versionFilePath(cluster), uid, gid)
      chownTree(cluster, identity)
    }
  }
  // If the folder was copied without its permissions, other users may be able to enter it. PostgreSQL then refuses to start.
  chmodSync(cluster, 0o700)
}

function versionFilePath(cluster: string): string {
  return join(cluster, 'PG_VERSION')
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
