/**
 * Lets root work on a data folder that another user owns. That user can replace everything in the folder with links to files of root, at
 * any time, so root can't use the folder safely. Instead, the process permanently switches to that user.
 *
 * It changes its user itself, rather than starting a program such as `runuser`: then Linux doesn't let other processes of that user
 * trace it or read its memory, although it still has files and the terminal of root. These processes can still send it signals, so no
 * signal may open Node's debugger. The programs that it starts can be traced, so they run in sessions of their own, without the
 * terminal.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs'
import inspector from 'node:inspector'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { packageFolder } from './package-folder.ts'
import { StartupError } from './startup-error.ts'
import { SYSTEM_PATH } from './system-path.ts'

export interface FolderOwner {
  uid: number
  /** The group of the folder. */
  gid: number
}

/** A group without rights, on all systems that we know. */
const NO_GROUP = 65_534

/**
 * Returns the user that root must become to use `folder`: its owner. If the folder doesn't exist, this is the owner of the closest
 * existing folder above it, because this owner could create it first. Returns undefined if the owner is root, or if this process
 * isn't root.
 *
 * Throws a StartupError if other users can change where the path leads to. They could lead root to a folder of their choice.
 */
export function findOwnerToSwitchTo(folder: string): FolderOwner | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const path = resolve(folder)
  const weakness = findWeakness(path)
  const owner = findOwner(path)
  const isSafe = weakness === undefined || (weakness.uid === undefined ? owner.uid !== 0 : owner.uid === weakness.uid)
  if (!isSafe) throw unsafePathError(folder, owner.uid, weakness)
  return owner.uid === 0 ? undefined : owner
}

function findOwner(path: string): FolderOwner {
  const stats = tryStats(() => statSync(path))
  if (stats !== undefined || path === dirname(path)) return stats ?? { uid: 0, gid: 0 }
  return findOwner(dirname(path))
}

/** A folder or a link on the way to another folder. Somebody other than root can change where it leads to. */
interface Weakness {
  path: string
  /** The owner of the folder or link. undefined if root owns it, but others can write to it. */
  uid: number | undefined
}

/**
 * Finds the first weakness on the way to `path`. Follows every link itself. Only root can change the folders and links
 * before this weakness, so the result stays true. The folder at the end counts only if it is a link.
 */
function findWeakness(path: string): Weakness | undefined {
  // In a user namespace, `/` can belong to a user who has no id in this namespace. The owner of `/` can replace
  // everything anyway, so this user is trusted.
  const trustedUids = [0, statSync('/').uid]
  let linkCount = 0
  /** The path `folder` contains no links. */
  const visit = (folder: string, names: readonly string[]): Weakness | undefined => {
    const stats = tryStats(() => statSync(folder))
    const [name, ...otherNames] = names
    if (stats === undefined || name === undefined) return undefined
    if (!trustedUids.includes(stats.uid)) return { path: folder, uid: stats.uid }
    if (isShared(stats) && (stats.mode & STICKY_BIT) === 0) return { path: folder, uid: undefined }
    if (name === '..') return visit(dirname(folder), otherNames)
    const next = join(folder, name)
    const nextStats = tryStats(() => lstatSync(next))
    if (!nextStats?.isSymbolicLink()) return visit(next, otherNames)
    linkCount += 1
    if (!trustedUids.includes(nextStats.uid)) return { path: next, uid: nextStats.uid }
    if (linkCount > MAX_LINKS) return undefined
    const target = readlinkSync(next)
    return visit(isAbsolute(target) ? '/' : folder, [...splitPath(target), ...otherNames])
  }
  return visit('/', splitPath(path))
}

/** Whether others than the owner can write to a folder of root. Only root is in the group of root. */
export function isShared({ mode, gid }: Stats): boolean {
  return (mode & constants.S_IWOTH) !== 0 || ((mode & constants.S_IWGRP) !== 0 && gid !== 0)
}

function unsafePathError(folder: string, ownerUid: number, { path, uid }: Weakness): StartupError {
  const owner = ownerUid === 0 ? 'root' : `user ${ownerUid}`
  if (uid === undefined) {
    return new StartupError(
      `Other users can replace the data folder ${folder} of ${owner}, because they can write to ${path}. So root can't use it safely.`,
      `Run \`chmod go-w ${path}\`, or choose another data folder.`,
    )
  }
  const otherWay = ownerUid === 0 ? '' : `, or run this command as its owner (sudo -u '#${ownerUid}')`
  return new StartupError(
    `User ${uid} can replace the data folder ${folder} of ${owner}, because ${path} belongs to that user. So root can't use it safely.`,
    // The advice is to look first. User `uid` may have linked the path to any folder, and the advice makes them the
    // owner of that folder.
    `Check the owners and links of the path (\`namei -l ${folder}\`). If the path is correct, move the data folder below folders of root, or make user ${uid} its owner${otherWay}.`,
  )
}

function tryStats(read: () => Stats): Stats | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** If this process is root and `folder` belongs to another user, permanently gives up the rights of root and switches to that user. */
export function switchToOwnerOf(folder: string): void {
  const owner = findOwnerToSwitchTo(folder)
  if (owner === undefined) return
  const { uid } = owner
  const hint = `Run this command as that user (sudo -u '#${uid}'), or use a data folder that belongs to root.`
  try {
    switchToUser(owner)
  } catch (error) {
    throw new StartupError(
      `Root can't become user ${uid}, who owns the data folder ${folder}: ${(error as Error).message}`,
      hint,
      { cause: error },
    )
  }
  try {
    accessSync(join(packageFolder, 'package.json'), constants.R_OK)
  } catch (error) {
    throw new StartupError(
      `User ${uid}, who owns the data folder ${folder}, can't read the program in ${packageFolder}.`,
      'Install Belfry where every user can read it, for example with `sudo npm install -g belfry`.',
      { cause: error },
    )
  }
}

/** @types/node lacks this function. It sets the supplementary groups of a user. */
interface ProcessWithInitgroups extends NodeJS.Process {
  initgroups(user: number, extraGroup: number): void
}

/**
 * A program that reaches the debugger can run any code in this process. By default, Node opens the debugger on SIGUSR1.
 */
function closeDebugger(): void {
  process.on('SIGUSR1', () => {})
  inspector.close()
}

function switchToUser({ uid, gid }: FolderOwner): void {
  closeDebugger()
  const primaryGid = findPrimaryGroup(uid)
  // The folder's group may be that of root, as in container images.
  const newGid = primaryGid ?? (gid === 0 ? NO_GROUP : gid)
  if (primaryGid === undefined) process.setgroups?.([newGid])
  else (process as ProcessWithInitgroups).initgroups(uid, newGid)
  process.setgid?.(newGid)
  process.setuid?.(uid)
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()]
  if (ids.join() !== [uid, uid, newGid, newGid].join()) throw new Error('the system refused the change')
}

/** Returns undefined if the user has no name, as in a container with a numeric user id. */
function findPrimaryGroup(uid: number): number | undefined {
  const { status, stdout } = spawnSync('id', ['-g', String(uid)], {
    encoding: 'utf8',
    env: { PATH: SYSTEM_PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 && /^\d+$/.test(stdout.trim()) ? Number(stdout) : undefined
}

/** Linux follows at most this many links. */
const MAX_LINKS = 40
/** In a folder with this bit, such as /tmp, everybody can create files, but replace only their own. */
const STICKY_BIT = 0o1000

/**
 * Whether a user can redirect `path` to another file or folder, because they can replace a part of the path. The last
 * part need not exist.
 */
export function canRedirect({ uid, gid }: FolderOwner, path: string): boolean {
  let linkCount = 0
  // The user may be in any group, so a folder counts if its group can write to it. The group of root counts only if it is
  // the user's own group.
  const isWritable = (folder: Stats) =>
    isShared(folder) || ((folder.mode & constants.S_IWGRP) !== 0 && folder.gid === gid)
  /** The path `folder` contains no links. */
  const visit = (folder: string, names: readonly string[]): boolean => {
    const folderStats = tryStats(() => statSync(folder))
    const [name, ...otherNames] = names
    if (folderStats === undefined || name === undefined) return false
    if (folderStats.uid === uid) return true
    const isSticky = (folderStats.mode & STICKY_BIT) !== 0
    if (isWritable(folderStats) && !isSticky) return true
    if (name === '..') return visit(dirname(folder), otherNames)
    const next = join(folder, name)
    const nextStats = tryStats(() => lstatSync(next))
    const isTheirs = nextStats === undefined ? otherNames.length > 0 : nextStats.uid === uid
    if (isWritable(folderStats) && isTheirs) return true
    if (!nextStats?.isSymbolicLink()) return visit(next, otherNames)
    linkCount += 1
    const target = readlinkSync(next)
    return linkCount > MAX_LINKS || visit(isAbsolute(target) ? '/' : folder, [...splitPath(target), ...otherNames])
  }
  return visit('/', splitPath(resolve(path)))
}

const splitPath = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.')
