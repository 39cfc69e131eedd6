import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { openPrivateFileToRead, readPrivateFile, requireNoLinkForRoot } from '../../lib/private-file.ts'
import { StartupError } from '../../lib/startup-error.ts'
import type { Binaries } from './binaries.ts'
import { changeOwner, makePrivateFolder, openFolder } from './data-folder.ts'
import { getCurrentIds, getOwnerFor, type Identity, isRoot, type UserIds } from './identity.ts'
import type { Layout } from './layout.ts'
import { run } from './run.ts'
import { explainStartFailure } from './start-failure.ts'

/** Refuses a cluster that these binaries can't open, before anything is changed. */
export function checkCluster({ cluster }: Layout, { majorVersion, version }: Binaries): void {
  requireNoLinkForRoot(cluster)
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
  const createdByVersion = readPrivateFile(versionFilePath(cluster)).trim()
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
  await removeUnfinishedCluster(layout)
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
    await removeUnfinishedCluster(layout)
    throw error
  }
}

/**
 * As root, leaves the deletion to rm: PostgreSQL's user owns this folder, and could replace a folder in it with a link while it is being
 * deleted. rm opens each folder once, and so deletes nothing elsewhere.
 */
async function removeUnfinishedCluster({ unfinishedCluster }: Layout): Promise<void> {
  if (isRoot()) await run(['rm', '-rf', '--', unfinishedCluster])
  // As root, this only fails if rm has left something.
  rmSync(unfinishedCluster, { recursive: !isRoot(), force: true })
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

/**
 * Makes `identity` the owner of the cluster. The version file gets its new owner first, and the folder last. After an
 * interruption, the two have different owners, and the next start repeats the change.
 */
function adoptCluster({ cluster }: Layout, identity: Identity): void {
  const fd = openFolder(cluster)
  try {
    if (isRoot()) changeClusterOwner(cluster, fd, getOwnerFor(identity))
    // If the folder was copied without its permissions, other users may be able to enter it. PostgreSQL then refuses to start.
    fchmodSync(fd, 0o700)
  } finally {
    closeSync(fd)
  }
}

function changeClusterOwner(cluster: string, fd: number, owner: UserIds): void {
  const { uid: folderUid } = fstatSync(fd)
  const versionFd = openPrivateFileToRead(versionFilePath(cluster))
  try {
    const { uid: versionUid } = fstatSync(versionFd)
    if (folderUid !== owner.uid) {
      changeOwner(versionFd, folderUid, owner)
      changeOwner(fd, folderUid, owner)
      // Here, a change of the owner from root to another user was interrupted, and now the owner is to be root again. Only
      // root can create files in a folder of root, so all files in the folder are PostgreSQL's.
    } else if (versionUid !== owner.uid && folderUid === 0) {
      changeOwner(fd, versionUid, owner)
    }
    if (fstatSync(versionFd).uid === owner.uid) return
  } finally {
    closeSync(versionFd)
  }
  throw new StartupError(
    `The files of the database in ${cluster} belong to different users.`,
    `Look for files that are not PostgreSQL's, and make user ${owner.uid} the owner of all others (chown -R).`,
  )
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
