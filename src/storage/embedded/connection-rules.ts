/**
 * Lets only Belfry connect to PostgreSQL, as any of its roles. The kernel tells PostgreSQL which user of the operating
 * system is at the other end of the socket, so no password is needed. The permissions of the socket's folder are not
 * enough: if root runs Belfry, PostgreSQL runs as another user, whose other processes can enter the folder, too.
 */
import { closeSync, fchmodSync, lstatSync, readFileSync } from 'node:fs'
import { openPrivateFileToRead, replacePrivateFile } from '../../lib/private-file.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { findOwnName, getCurrentIds, type Identity } from './identity.ts'
import type { Layout } from './layout.ts'
import { findUserName } from './passwd.ts'

const MAP_NAME = 'belfry'
const READABLE_MODE = 0o644

/**
 * Writes the files that PostgreSQL uses instead of the pg_hba.conf and pg_ident.conf in the cluster's folder. They are outside that
 * folder, so PostgreSQL's user can't change them. In earlier versions, the rules let in everybody who could reach the socket.
 */
export function writeConnectionRules({ hbaFile, identFile }: Layout, identity: Identity): void {
  const userNames = listPeerNames(identity)
  const method = userNames === undefined ? 'trust' : `peer map=${MAP_NAME}`
  replaceFile(identFile, (userNames ?? []).map((name) => `${MAP_NAME} "${name}" all\n`).join(''))
  replaceFile(hbaFile, `local all all ${method}\n`)
}

/**
 * Returns the names under which PostgreSQL sees Belfry and root, because root may run the command line. Returns
 * undefined if PostgreSQL can't tell users apart because ours has no name, as in a container with a numeric user id.
 * Then the permissions of the socket's folder decide: only root and our own user, who owns PostgreSQL's files anyway,
 * can enter it.
 */
function listPeerNames(identity: Identity): string[] | undefined {
  // Inside the namespace, our user has the id that it is mapped to.
  const ownName = identity.kind === 'namespace' ? findUserName(identity.uid) : findOwnName()
  if (ownName !== undefined) return [...new Set([ownName, findUserName(0) ?? 'root'])]
  if (identity.kind !== 'user') return undefined
  throw new StartupError(
    `User ${getCurrentIds().uid}, who runs Belfry, has no name, so PostgreSQL can't recognize it.`,
    'Add the user to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/**
 * PostgreSQL's user must be able to read the file, whatever our umask is. If only its permissions are wrong, it is not written again, so
 * that a full disk doesn't prevent a start.
 */
function replaceFile(path: string, text: string): void {
  if (!hasText(path, text)) replacePrivateFile(path, text, READABLE_MODE)
}

/** Returns whether the file has this text, and makes it readable. Returns false if something else is in its place. */
function hasText(path: string, text: string): boolean {
  let fd: number | undefined
  try {
    fd = openPrivateFileToRead(path)
    if (!lstatSync(path).isFile() || readFileSync(fd, 'utf8') !== text) return false
    fchmodSync(fd, READABLE_MODE)
    return true
  } catch {
    return false
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
