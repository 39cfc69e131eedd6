import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import type { Binaries } from './binaries.ts'
import { findOwnName, type Identity, isRoot } from './identity.ts'
import type { Layout } from './layout.ts'
import { findNobody } from './passwd.ts'
import { run } from './run.ts'

export interface RunEnvironment {
  layout: Layout
  binaries: Binaries
  libraryPath: string | undefined
}

/** Returns the first identity that can run the binaries and enter the data folder. */
export async function chooseIdentity(environment: RunEnvironment): Promise<Identity> {
  // initdb requires a user with a name. PostgreSQL itself doesn't, so a user without a name can use an existing
  // cluster.
  if (!isRoot() && (findOwnName() !== undefined || existsSync(environment.layout.cluster))) return { kind: 'self' }
  const failures: string[] = []
  for (const candidate of isRoot() ? listCandidatesForRoot(environment) : listNamespaceCandidates()) {
    const obstacle = await findObstacle(candidate, environment)
    if (obstacle === undefined) return candidate
    failures.push(`${describeIdentity(candidate)}: ${obstacle}`)
  }
  const reasons = failures.length > 0 ? ` ${failures.join('; ')}.` : ''
  throw new StartupError(
    isRoot()
      ? `PostgreSQL refuses to run as root, and no other user can run it here.${reasons}`
      : `PostgreSQL's initdb needs a user with a name, and this one is not in /etc/passwd.${reasons}`,
    'Run Belfry as an unprivileged user who owns the data folder, put code and data where the user "nobody" has access, ' +
      'or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** The data folder belongs to root. The cluster's current owner comes first, because then no file needs a new owner. */
function listCandidatesForRoot({ layout, binaries }: RunEnvironment): Identity[] {
  const nobody = findNobody()
  const candidates: Identity[] = [
    ...(existsSync(layout.cluster) ? listOwningIdentities(layout.cluster) : []),
    ...(nobody === undefined ? [] : [{ kind: 'user', ...nobody } as const]),
    ...listNamespaceCandidates(),
    // Owners of the parent folders: if root runs Belfry in a user's private home, only that user can run PostgreSQL there.
    ...[...listAncestors(layout.dataDir), ...listAncestors(binaries.packageDir)].flatMap(listOwningIdentities),
  ]
  return [...new Map(candidates.map((candidate) => [JSON.stringify(candidate), candidate])).values()]
}

function listNamespaceCandidates(): Identity[] {
  const nobody = findNobody()
  return process.platform === 'linux' && nobody !== undefined ? [{ kind: 'namespace', ...nobody }] : []
}

function listOwningIdentities(path: string): Identity[] {
  const { uid, gid } = statSync(path)
  return uid === 0 ? listNamespaceCandidates() : [{ kind: 'user', uid, gid }]
}

function listAncestors(path: string): string[] {
  return path === dirname(path) ? [] : [path, ...listAncestors(dirname(path))]
}

/** Indexed by PROBE_SCRIPT's exit code minus 80. */
const OBSTACLES = ['cannot enter the data folder', "cannot read PostgreSQL's files"]
const PROBE_SCRIPT = 'test -x "$1" || exit 80; test -r "$2" || exit 81; exec "$3" --version'

async function findObstacle(identity: Identity, { layout, binaries, libraryPath }: RunEnvironment) {
  const command = ['sh', '-c', PROBE_SCRIPT, 'sh', layout.dataDir, binaries.shareFile, binaries.postgres] as const
  const { code, stderr, failure } = await run([...command], { identity, libraryPath })
  if (code === 0) return undefined
  return OBSTACLES[(code ?? 0) - 80] ?? failure?.message ?? (stderr.trim() || `exit code ${code}`)
}

function describeIdentity(identity: Identity): string {
  if (identity.kind === 'namespace') return 'a user namespace (unshare)'
  return identity.kind === 'user' ? `user ${identity.uid}` : 'the current user'
}
