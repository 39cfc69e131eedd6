/** The operating system user that PostgreSQL runs as. PostgreSQL refuses to run as root, so root has to choose another. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { userInfo } from 'node:os'
import { SYSTEM_PATH } from '../../lib/system-path.ts'

export interface UserIds {
  uid: number
  gid: number
}

export type Identity =
  | { kind: 'self' }
  /** Another user of this machine. Only root can switch to it. */
  | ({ kind: 'user' } & UserIds)
  /** A user namespace that maps our id to `uid`, so PostgreSQL isn't root inside it but still owns our files. */
  | ({ kind: 'namespace' } & UserIds)

export function getCurrentIds(): UserIds {
  return { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 }
}

export function isRoot(): boolean {
  return getCurrentIds().uid === 0
}

/** Returns undefined if our user has no name, as in a container started with a numeric user id. */
export function findOwnName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    return undefined
  }
}

/** The owner that files need so that this identity can use them. */
export function getOwnerFor(identity: Identity): UserIds {
  return identity.kind === 'user' ? { uid: identity.uid, gid: identity.gid } : getCurrentIds()
}

export function spawnAs(
  identity: Identity,
  [file, ...args]: [string, ...string[]],
  options: SpawnOptions & { libraryPath?: string | undefined },
): ChildProcess {
  const { libraryPath, ...spawnOptions } = options
  const env = {
    PATH: SYSTEM_PATH,
    LC_ALL: 'C',
    ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath, DYLD_LIBRARY_PATH: libraryPath }),
  }
  if (identity.kind === 'self') return spawn(file, args, { ...spawnOptions, env })
  const { uid, gid } = identity
  if (identity.kind === 'user') return spawn(file, args, { ...spawnOptions, env, uid, gid })
  // Without --fork, unshare replaces itself with the command, so the pid stays the same.
  const unshareArguments = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--', file, ...args]
  return spawn('unshare', unshareArguments, { ...spawnOptions, env })
}
