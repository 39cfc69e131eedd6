/** What can be seen without the database. */
import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { findBinaries } from '../../storage/embedded/binaries.ts'
import { isRoot } from '../../storage/embedded/identity.ts'
import { findNobody } from '../../storage/embedded/passwd.ts'
import { run } from '../../storage/embedded/run.ts'
import { formatBytes } from '../progress.ts'
import { advice, broken, type Finding, ok } from './finding.ts'

/** PostgreSQL stops working when its disk is full; a new database alone takes about 100 MB. */
const SPACE_NEEDED = 200e6
const SPACE_WANTED = 2e9

export async function checkNode(): Promise<Finding[]> {
  return [ok(`Node ${process.versions.node} on ${process.platform} ${process.arch}.`)]
}

/** Mistakes end the command before it begins, with a list; what is left are names that nothing reads. */
export async function checkConfig({ unknown }: Config): Promise<Finding[]> {
  if (unknown.length === 0) return [ok('The configuration has no mistakes.')]
  return unknown.map((name) => advice(`The setting ${name} is not known.`, 'Is it misspelt? See docs/configure.md.'))
}

const loopback = /^(127\.|::1$|localhost$|\[::1\]$)/

export async function checkAddress({ host, url }: Config): Promise<Finding[]> {
  if (url?.startsWith('https:')) return [ok(`People reach it at ${url}.`)]
  if (loopback.test(host)) return [ok(`It listens on ${host} only${url === undefined ? '' : `, known as ${url}`}.`)]
  if (url === undefined) {
    return [
      advice(
        `It listens on ${host}, and BELFRY_URL is not set: links in messages and reports will be missing.`,
        'Set it to the https address that people use.',
      ),
    ]
  }
  return [
    advice(
      `${url} is not https: passwords and keys can be read on their way.`,
      'Put a proxy with a certificate in front, and set BELFRY_URL to its https address.',
    ),
  ]
}

export async function checkDataFolder({ dataDir, databaseUrl }: Config): Promise<Finding[]> {
  const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error && found.code === 'ENOENT') {
    return [advice(`The data folder ${dataDir} does not exist yet.`, 'The first start makes it.')]
  }
  if (found instanceof Error) return [broken(`The data folder cannot be read: ${found.message}.`, 'Set BELFRY_DATA.')]
  if (!found.isDirectory()) {
    return [broken(`The data folder ${dataDir} is a file.`, 'Move it away, or set BELFRY_DATA to a folder.')]
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [
      broken(`The data folder ${dataDir} is closed to this user.`, 'Give it to the user who runs Belfry (chown -R).'),
    ]
  }
  return [ok(`The data folder is ${dataDir}.`), ...(databaseUrl === undefined ? [await checkSpace(dataDir)] : [])]
}

async function checkSpace(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir)
  const free = `Its disk has ${formatBytes(bavail * bsize)} free.`
  if (bavail * bsize < SPACE_NEEDED) return broken(free, 'Free some space: PostgreSQL stops when there is none.')
  return bavail * bsize < SPACE_WANTED ? advice(free, 'Free some space soon.') : ok(free)
}

/** What the PostgreSQL that comes along needs from this machine. */
export async function checkTools({ databaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl !== undefined) return []
  const findings = [ok(`PostgreSQL ${findBinaries().version} comes along.`)]
  if (process.platform !== 'linux') return findings
  const flock = await run(['flock', '--version'])
  findings.push(
    flock.code === 0
      ? ok('flock is there; it keeps two servers off one data folder.')
      : broken('The command flock is missing.', 'Install util-linux, or set DATABASE_URL to a PostgreSQL server.'),
  )
  if (isRoot()) findings.push(await checkRoot())
  return findings
}

async function checkRoot(): Promise<Finding> {
  if (findNobody() !== undefined) return ok('As root, PostgreSQL runs as an unprivileged user.')
  const unshare = await run(['unshare', '--user', 'true'])
  if (unshare.code === 0) return ok('As root, PostgreSQL runs in a user namespace.')
  return broken(
    'PostgreSQL refuses to run as root, and there is neither a user nobody nor unshare.',
    'Run Belfry as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}
