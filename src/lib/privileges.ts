/**
 * Lets root work on a data folder that another user owns. That user can replace everything in the folder by links to files of root, at
 * any time, so root can't use the folder safely. Instead, the process becomes that user for good.
 *
 * It changes its user itself, rather than starting a program such as `runuser`: then Linux doesn't let other processes of that user
 * trace it or read its memory, although it still has files and the terminal of root. They can still send it signals, so none may open
 * Node's debugger. The programs that it starts can be traced, so they run in sessions of their own, without the terminal.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
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

/** Returns the user that root must become to use `folder`. Returns undefined if root owns it, or if this process isn't root. */
export function findOwnerToBecome(folder: string): FolderOwner | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const owner = findOwner(resolve(folder))
  return owner.uid === 0 ? undefined : owner
}

/** If the folder doesn't exist, the owner of the folder that it will be created in counts: this user could create it first. */
function findOwner(path: string): FolderOwner {
  const link = tryStats(() => lstatSync(path))
  // Whoever owns the link chooses where it leads to.
  if (link?.isSymbolicLink() && link.uid !== 0) return link
  const stats = tryStats(() => statSync(path))
  if (stats !== undefined || path === dirname(path)) return stats ?? { uid: 0, gid: 0 }
  return findOwner(dirname(path))
}

function tryStats(read: () => Stats): Stats | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** If this process is root and `folder` belongs to another user, gives up the rights of root and becomes that user, for good. */
export function becomeOwnerOf(folder: string): void {
  const owner = findOwnerToBecome(folder)
  if (owner === undefined) return
  const { uid } = owner
  const hint = `Run this command as that user (sudo -u '#${uid}'), or use a data folder that belongs to root.`
  try {
    becomeUser(owner)
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

/** Whoever reaches the debugger can run any code in this process. By default, Node opens it when it receives SIGUSR1. */
function closeDebugger(): void {
  process.on('SIGUSR1', () => {})
  inspector.close()
}

function becomeUser({ uid, gid }: FolderOwner): void {
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

interface UntrustedFolder {
  path: string
  /** The user who owns it. undefined if everybody can write to it. */
  uid: number | undefined
}

/** Finds the nearest folder above `folder` in which somebody other than root can rename what leads to `folder`, and replace it. */
export function findUntrustedParent(folder: string): UntrustedFolder | undefined {
  for (let path = dirname(realpathSync(folder)); ; path = dirname(path)) {
    const { uid, mode } = statSync(path)
    if ((mode & constants.S_IWOTH) !== 0 && (mode & STICKY_BIT) === 0) return { path, uid: undefined }
    if (uid !== 0) return { path, uid }
    if (path === dirname(path)) return undefined
  }
}

/** Linux follows at most this many links. */
const MAX_LINKS = 40
/** In a folder with this bit, such as /tmp, everybody can create files, but replace only their own. */
const STICKY_BIT = 0o1000

/**
 * Whether a user can decide where `path` leads to, because they can replace a folder, a link or a file on the way. The last part of
 * the path need not exist.
 */
export function canRedirect({ uid, gid }: FolderOwner, path: string): boolean {
  let linkCount = 0
  const isWritable = (folder: Stats) =>
    (folder.mode & constants.S_IWOTH) !== 0 || ((folder.mode & constants.S_IWGRP) !== 0 && folder.gid === gid)
  /** `folder` contains no links. */
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
