import { existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import type { Binaries } from './binaries.ts'
import { type Identity, isRoot } from './identity.ts'
import type { Layout } from './layout.ts'
import { findNobody } from './passwd.ts'
import { run } from './run.ts'

export interface Surroundings {
  layout: Layout
  binaries: Binaries
  libraryPath: string | undefined
}

/** Finds an identity that can really run the binaries and enter the data folder, by trying. */
export async function chooseIdentity(surroundings: Surroundings): Promise<Identity> {
  if (!isRoot() && (hasName() || existsSync(surroundings.layout.cluster))) return { kind: 'self' }
  const failures: string[] = []
  for (const candidate of isRoot() ? candidatesForRoot(surroundings) : namespaces()) {
    const obstacle = await findObstacle(candidate, surroundings)
    if (obstacle === undefined) return candidate
    failures.push(`${describe(candidate)}: ${obstacle}`)
  }
  throw new StartupError(
    isRoot()
      ? `PostgreSQL refuses to run as root, and no other user can run it here. ${failures.join('; ')}.`
      : `PostgreSQL's initdb needs a user with a name, and this one is not in /etc/passwd. ${failures.join('; ')}.`,
    'Run Belfry as an ordinary user who owns the data folder, put code and data where the user "nobody" may enter, ' +
      'or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** Containers started with a bare number as their user have none, and then initdb refuses; PostgreSQL itself does not mind. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** The cluster's present owner first: nothing has to change hands then. */
function candidatesForRoot({ layout, binaries }: Surroundings): Identity[] {
  const nobody = findNobody()
  const candidates: Identity[] = [
    ...(existsSync(layout.cluster) ? identitiesOwning(layout.cluster) : []),
    ...(nobody === undefined ? [] : [{ kind: 'user', ...nobody } as const]),
    ...namespaces(),
    // Root in somebody's private home: a namespace may not enter there, its owner may.
    ...[...ancestors(layout.dataDir), ...ancestors(binaries.packageDir)].flatMap(identitiesOwning),
  ]
  return [...new Map(candidates.map((candidate) => [JSON.stringify(candidate), candidate])).values()]
}

function namespaces(): Identity[] {
  const nobody = findNobody()
  return process.platform === 'linux' && nobody !== undefined ? [{ kind: 'namespace', ...nobody }] : []
}

function identitiesOwning(path: string): Identity[] {
  const { uid, gid } = statSync(path)
  return uid === 0 ? namespaces() : [{ kind: 'user', uid, gid }]
}

function ancestors(path: string): string[] {
  return path === dirname(path) ? [] : [path, ...ancestors(dirname(path))]
}

const OBSTACLES = ['cannot enter the data folder', "cannot read PostgreSQL's files"]
const ATTEMPT = 'test -x "$1" || exit 80; test -r "$2" || exit 81; exec "$3" --version'

async function findObstacle(identity: Identity, { layout, binaries, libraryPath }: Surroundings) {
  const command = ['sh', '-c', ATTEMPT, 'sh', layout.dataDir, binaries.share, binaries.postgres] as const
  const { code, stderr, failure } = await run([...command], { identity, libraryPath })
  if (code === 0) return undefined
  return OBSTACLES[(code ?? 0) - 80] ?? failure?.message ?? (stderr.trim() || `exit code ${code}`)
}

function describe(identity: Identity): string {
  if (identity.kind === 'namespace') return 'a user namespace (unshare)'
  return identity.kind === 'user' ? `user ${identity.uid}` : 'the current user'
}
