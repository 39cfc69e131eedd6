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
import { giveTo, makePrivateFolder } from './data-folder.ts'
import { currentIds, type Identity, isRoot, ownerFor } from './identity.ts'
import type { Layout } from './layout.ts'
import { run } from './run.ts'
import { explainFailure } from './start-failure.ts'

/** Refuses, before anything is touched, a cluster that these binaries cannot or must not open. */
export function checkCluster({ cluster }: Layout, { major, version }: Binaries): void {
  if (!existsSync(cluster)) return
  const { uid } = statSync(cluster)
  if (!isRoot() && uid !== currentIds().uid) {
    throw new StartupError(
      `The database in ${cluster} belongs to user ${uid}, not to user ${currentIds().uid}, who runs Belfry.`,
      'Run Belfry as that user, or give the whole data folder to this one (chown -R).',
    )
  }
  if (!existsSync(versionFile(cluster))) {
    if (readdirSync(cluster).length === 0) return
    throw new StartupError(
      `The folder ${cluster} is not empty and holds no PostgreSQL database.`,
      'Move it away, or choose another data folder.',
    )
  }
  const found = readFileSync(versionFile(cluster), 'utf8').trim()
  if (found !== String(major)) {
    throw new StartupError(
      `The database in ${cluster} was made by PostgreSQL ${found}; this Belfry brings PostgreSQL ${version}.`,
      Number(found) > major
        ? 'Install the newer Belfry that made it.'
        : `Start the older Belfry that brings PostgreSQL ${found}, dump the database and load the dump into a new data folder.`,
    )
  }
}

export interface ClusterParts {
  layout: Layout
  binaries: Binaries
  identity: Identity
  libraryPath: string | undefined
  clusterFd: number
  /** false only for tests: do not wait until the new cluster is on disk */
  sync: boolean
}

/** Makes the cluster when there is none, or hands the existing one to `identity`. Returns whether it was made. */
export async function ensureCluster(parts: ClusterParts): Promise<boolean> {
  const { layout, identity } = parts
  rmSync(layout.unfinished, { recursive: true, force: true })
  const isNew = !existsSync(versionFile(layout.cluster))
  if (isNew) await createCluster(parts)
  else adoptCluster(layout, identity)
  makePrivateFolder(layout.socketFolder, identity)
  makePrivateFolder(layout.logFolder, identity)
  return isNew
}

/** Made aside and then renamed, so that a kill at any moment leaves a whole cluster or none. */
async function createCluster(parts: ClusterParts): Promise<void> {
  const { layout, identity, libraryPath, clusterFd } = parts
  try {
    makePrivateFolder(layout.unfinished, identity)
    const outcome = await run(initdbCommand(parts), {
      identity,
      libraryPath,
      // By its working folder the next start finds an initdb whose Belfry was killed.
      cwd: layout.unfinished,
      extraFd: clusterFd,
    })
    if (outcome.code !== 0) {
      throw explainFailure('initdb failed', outcome.failure?.message ?? outcome.stdout + outcome.stderr, layout)
    }
    renameSync(layout.unfinished, layout.cluster)
    // Without this a power cut could undo the rename, and the next start would remove the cluster as unfinished.
    syncFolder(layout.dataDir)
  } catch (error) {
    rmSync(layout.unfinished, { recursive: true, force: true })
    throw error
  }
}

function initdbCommand({ layout, binaries, sync }: ClusterParts): [string, ...string[]] {
  return [
    binaries.initdb,
    `--pgdata=${layout.unfinished}`,
    '--username=postgres',
    '--data-checksums',
    '--encoding=UTF8',
    // Sorts by code point, the same on every machine and in every future version: indexes never go stale.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
    ...(sync ? [] : ['--no-sync']),
  ]
}

function adoptCluster({ cluster }: Layout, identity: Identity): void {
  if (isRoot()) {
    const { uid, gid } = ownerFor(identity)
    const settled = [cluster, versionFile(cluster)].every((path) => statSync(path).uid === uid)
    if (!settled) {
      // First, so that a change that was cut short is seen and repeated.
      lchownSync(versionFile(cluster), uid, gid)
      giveTo(cluster, identity)
    }
  }
  // PostgreSQL refuses a folder that others may enter, as a careless copy leaves it.
  chmodSync(cluster, 0o700)
}

function versionFile(cluster: string): string {
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
