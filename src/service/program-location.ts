/** Checks that the service's user can read the program, and that the program is in a permanent place. */
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { isInHomeFolder, isInside, SERVICE_USER } from './layout.ts'

export interface ProgramLocation {
  node: string
  program: string
  /** Whether the program or Node is in a folder that `ProtectHome` hides. */
  needsHome: boolean
}

/**
 * The service can't use a program in these folders: it has its own /tmp and /var/tmp (PrivateTmp), and the other
 * folders are emptied at boot.
 */
const temporaryFolders = ['/tmp', '/var/tmp', '/dev/shm', '/run']

export function locateProgram(node: string, programFolder: string): ProgramLocation {
  const program = join(programFolder, 'bin/belfry.js')
  return { node, program, needsHome: [node, program].some(isInHomeFolder) }
}

/** Returns why the service can't run the program, or undefined if it can. `root` is the root folder of the service's system. */
export async function findLocationProblem(
  { node, program }: ProgramLocation,
  root: string,
): Promise<StartupError | undefined> {
  for (const path of [program, node]) {
    if (path.includes('/_npx/')) {
      return new StartupError(
        `Belfry runs from the cache of npx (${dirname(dirname(path))}), which npm can empty at any time.`,
        'Run `npm install -g belfry`, and then `belfry service install`.',
      )
    }
    if (temporaryFolders.some((folder) => isInside(path, folder))) {
      return new StartupError(
        `${path} is in a temporary folder.`,
        'Install Belfry in a permanent place: run `npm install -g belfry`, and then `belfry service install`.',
      )
    }
    if ((await stat(join(root, path)).catch(() => undefined)) === undefined) {
      return new StartupError(
        `The system in ${root} has no ${path}.`,
        `Install Belfry there first (\`npm install -g --prefix ${join(root, 'usr/local')} belfry\`), and run \`service install\` from that installation.`,
      )
    }
    const closedPath = await findClosedPath(path, root)
    if (closedPath !== undefined) {
      return new StartupError(
        `The user ${SERVICE_USER} can't read ${path}, because ${closedPath} is closed to other users.`,
        'Install Belfry and Node where every user can read them: run `npm install -g belfry` as root, without a Node version manager in a home folder.',
      )
    }
  }
  return undefined
}

/** The service's user is neither the owner of these files nor in their group, so only the permissions for others count. */
async function findClosedPath(path: string, root: string): Promise<string | undefined> {
  if (((await stat(join(root, path))).mode & 0o004) === 0) return path
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    if (((await stat(join(root, folder))).mode & 0o001) === 0) return folder
  }
  return undefined
}
