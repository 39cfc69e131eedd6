/**
 * A PostgreSQL server of the operating system with its default settings, like a server that users provide for Belfry. Only its
 * address and the maximum of connections differ.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type DatabaseAddress, OWNER_ROLE, SUPERUSER } from '../../src/storage/embedded/address.ts'
import { chooseIdentity } from '../../src/storage/embedded/choose-identity.ts'
import { makePrivateFolder } from '../../src/storage/embedded/data-folder.ts'
import { spawnAs } from '../../src/storage/embedded/identity.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { ensureOwnerAndDatabase } from '../../src/storage/embedded/owner-role.ts'
import { run } from '../../src/storage/embedded/run.ts'

const PORT = 5432
const START_TIMEOUT_MS = 60_000

interface InstalledPostgres {
  /** The empty database `belfry`, owned by the unprivileged role `belfry`. The superuser is `postgres`. */
  address: DatabaseAddress
  stop(): Promise<void>
}

/** Starts the server in `binFolder` on new data in `folder`. It listens on a Unix socket only. */
export async function startInstalledPostgres(binFolder: string, folder: string): Promise<InstalledPostgres> {
  const [initdb, postgres] = [join(binFolder, 'initdb'), join(binFolder, 'postgres')]
  // Started as root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  mkdirSync(join(folder, 'installed'), { mode: 0o711 })
  const layout = layoutOf(join(folder, 'installed'))
  const binaries = { packageDir: binFolder, initdb, postgres, shareFile: initdb, version: '', majorVersion: 0 }
  const identity = await chooseIdentity({ layout, binaries, libraryPath: undefined })
  for (const path of [layout.cluster, layout.socketFolder]) makePrivateFolder(path, identity)
  const options = [`--username=${SUPERUSER}`, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync']
  const { code, stdout, stderr, failure } = await run([initdb, `--pgdata=${layout.cluster}`, ...options], { identity })
  if (code !== 0) throw new Error(`${initdb} failed: ${failure?.message ?? ''}${stdout}${stderr}`)

  const settings = [
    ...['-c', 'listen_addresses=', '-c', `unix_socket_directories=${layout.socketFolder}`],
    // Five workers need up to 25 connections each. The default is 100.
    ...['-c', 'max_connections=200'],
  ]
  const postmaster = spawnAs(identity, [postgres, '-D', layout.cluster, '-p', String(PORT), ...settings], {
    cwd: layout.cluster,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C must reach the test run only, which then stops PostgreSQL.
    detached: true,
  })
  let output = ''
  postmaster.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // Tests provoke errors, which the server logs. Only the first lines can explain a failed start.
    if (output.length < 10_000) output += text
  })
  const address = { host: layout.socketFolder, port: PORT, user: OWNER_ROLE, database: OWNER_ROLE }
  try {
    await waitUntilReady(postmaster, address)
    await ensureOwnerAndDatabase(address)
  } catch (error) {
    await stop(postmaster)
    throw new Error(`${postgres} did not start: ${error}\n${output}`, { cause: error })
  }
  return { address, stop: () => stop(postmaster) }
}

async function waitUntilReady(postmaster: ChildProcess, { host, port }: DatabaseAddress): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    const client = new pg.Client({ host, port, user: SUPERUSER, database: 'postgres', ssl: false })
    try {
      await client.connect()
      return
    } catch (error) {
      if (hasEnded(postmaster) || performance.now() > deadline) throw error
      await delay(20)
    } finally {
      await client.end()
    }
  }
}

/** Ends all sessions and shuts down cleanly. */
async function stop(postmaster: ChildProcess): Promise<void> {
  if (hasEnded(postmaster)) return
  const postmasterExit = once(postmaster, 'exit')
  postmaster.kill('SIGINT')
  await postmasterExit
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}
