/**
 * Lets a command read the settings of the server that uses the same data folder. The shell of the command often has
 * other settings, or none. The folder holds only the server's process ID, its start time and the path of its
 * configuration file. The settings, which include secrets, stay in the process and in that file. Linux shows the
 * environment of a process only to the user who runs it and to root.
 */
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { readFile, readlink, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openPrivateFileToRead, readPrivateFile, replacePrivateFile } from '../lib/private-file.ts'
import { findOwnerToSwitchTo } from '../lib/privileges.ts'
import { ConfigurationError } from '../lib/startup-error.ts'
import { type CollectedSettings, collectSettings, findSettingText } from './collect-settings.ts'
import { type Environment, type SettingName, settingNames } from './settings.ts'

interface ServerProcess {
  pid: number
  /**
   * When the process started, in clock ticks after boot; null if unknown. A later process may get the same ID, but not
   * the same start time.
   */
  startTicks: string | null
  /** An absolute path. */
  configFile?: string | undefined
}

export type ProcessSettings =
  | { kind: 'no-server' }
  /**
   * The process belongs to another user, the system doesn't show the settings of processes, or the configuration file can't be
   * read. In the last case, `reason` says why.
   */
  | { kind: 'hidden'; pid: number; reason?: string }
  /** `changedFiles` have changed since the server started, and have no effect until it restarts. */
  | { kind: 'found'; pid: number; settings: CollectedSettings; changedFiles: string[] }

/** A record has only a process ID, a time and a path, so a larger file is not a record. */
const MAX_RECORD_BYTES = 10_000

const filePath = (dataDir: string) => join(dataDir, 'server.json')

/** Records this process as the server of the data folder. Returns a function that removes the record. */
export async function recordServerProcess(dataDir: string, configFile?: string): Promise<() => Promise<void>> {
  const record: ServerProcess = { pid: process.pid, startTicks: await readStartTicks(process.pid), configFile }
  const text = JSON.stringify(record)
  // A failure is ignored: a server with DATABASE_URL and BELFRY_SECRET needs no data folder. Without a record, `doctor`
  // checks its own settings.
  try {
    replacePrivateFile(filePath(dataDir), text)
  } catch {
    // The folder is missing, full or read-only.
  }
  return async () => {
    // A server that started later may have replaced the record.
    if (findRecordText(dataDir) === text) await rm(filePath(dataDir), { force: true })
  }
}

function findRecordText(dataDir: string): string | undefined {
  try {
    return readPrivateFile(filePath(dataDir))
  } catch {
    return undefined
  }
}

/** Facts about a running server. Only root and the server's user can read its environment. */
export interface ServerEnvironment {
  pid: number
  /** The server's environment; undefined if this user can't read it. */
  visible: { env: Environment; workingFolder: string } | undefined
  configFile: string | undefined
  startedMs: number
}

/**
 * Reads the environment of the server. Returns undefined if no server is running. A process of root has to call it before it switches to
 * the user who owns the data folder: with capabilities, such as the one for ping, a process hides its environment even from its own user.
 */
export async function readServerEnvironment(dataDir: string): Promise<ServerEnvironment | undefined> {
  const server = readRecord(dataDir)
  if (server === undefined || !(await isRunning(server))) return undefined
  const { pid, configFile, startedMs } = server
  try {
    // The owner of the data folder can write any process ID into the record. So root reads only the environment of
    // processes that belong to this owner.
    if (process.geteuid?.() === 0 && (await readUserId(pid)) !== (findOwnerToSwitchTo(dataDir)?.uid ?? 0))
      throw new Error('another user')
    const [text, workingFolder] = await Promise.all([
      readFile(`/proc/${pid}/environ`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
    ])
    return { pid, configFile, startedMs, visible: { env: parseEnvironment(text), workingFolder } }
  } catch {
    return { pid, configFile, startedMs, visible: undefined }
  }
}

/**
 * Reads the files that the environment names. A process of root must switch to the user who owns the data folder before
 * it calls this.
 */
export async function readServerSettings(
  dataDir: string,
  server: ServerEnvironment | undefined,
): Promise<ProcessSettings> {
  if (server === undefined) return { kind: 'no-server' }
  const { pid, visible, configFile, startedMs } = server
  if (visible === undefined) return { kind: 'hidden', pid }
  try {
    const settings = collectSettings(visible.env, { workingFolder: visible.workingFolder, configFile })
    const serverDataDir = findSettingText(settings, 'BELFRY_DATA') ?? ''
    // This folder may be a copy of the server's folder, including its record.
    if ((await realpath(serverDataDir)) !== (await realpath(dataDir))) return { kind: 'no-server' }
    return { kind: 'found', pid, settings, changedFiles: await findChangedFiles(settings.files, startedMs) }
  } catch (error) {
    return { kind: 'hidden', pid, ...(error instanceof ConfigurationError && { reason: error.message }) }
  }
}

/** Returns the names of settings whose values differ. */
export function listDifferences(a: CollectedSettings, b: CollectedSettings): SettingName[] {
  return settingNames.filter((name) => findSettingText(a, name) !== findSettingText(b, name))
}

async function findChangedFiles(paths: readonly string[], sinceMs: number): Promise<string[]> {
  const times = await Promise.all(paths.map(async (path) => ({ path, mtimeMs: (await stat(path)).mtimeMs })))
  return times.filter(({ mtimeMs }) => mtimeMs > sinceMs).map(({ path }) => path)
}

function readRecord(dataDir: string): (ServerProcess & { startedMs: number }) | undefined {
  let fd: number | undefined
  try {
    fd = openPrivateFileToRead(filePath(dataDir))
    const { size, mtimeMs: startedMs } = fstatSync(fd)
    if (size > MAX_RECORD_BYTES) return undefined
    const { pid, startTicks, configFile } = JSON.parse(readFileSync(fd, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? { pid, startTicks, configFile, startedMs } : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

async function isRunning({ pid, startTicks }: ServerProcess): Promise<boolean> {
  if (startTicks !== null) return (await readStartTicks(pid)) === startTicks
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns null if the process doesn't exist or the system isn't Linux. */
async function readStartTicks(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The second field is the name in parentheses, which can contain anything. The start time is field 22.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

async function readUserId(pid: number): Promise<number> {
  return Number(/^Uid:\t(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function parseEnvironment(text: string): Environment {
  const env: Record<string, string> = {}
  for (const entry of text.split('\0')) {
    const separator = entry.indexOf('=')
    if (separator > 0) env[entry.slice(0, separator)] = entry.slice(separator + 1)
  }
  return env
}
