/**
 * Lets a command read the settings of the server that uses the same data folder. The shell of the command often has other
 * settings, or none. The folder holds only the server's process ID and the path of its configuration file: the settings, which
 * include secrets, stay in the process and in that file. Linux shows those of the process only to the user who runs it and to
 * root.
 */
import { readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../lib/startup-error.ts'
import { type CollectedSettings, collectSettings, findSettingText } from './collect-settings.ts'
import { type Environment, type SettingName, settingNames } from './settings.ts'

interface ServerProcess {
  pid: number
  /** In clock ticks after boot; null if unknown. A later process may get the same ID, but not the same start time. */
  startTicks: string | null
  /** An absolute path. */
  configFile?: string | undefined
}

export type ServerSettings =
  | { kind: 'no-server' }
  /**
   * The process belongs to another user, the system doesn't show the settings of processes, or the configuration file can't be
   * read. In the last case, `reason` says why.
   */
  | { kind: 'hidden'; pid: number; reason?: string }
  /** `changedFiles` have changed since the server started, and have no effect until it restarts. */
  | { kind: 'found'; pid: number; settings: CollectedSettings; changedFiles: string[] }

const filePath = (dataDir: string) => join(dataDir, 'server.json')

/** Records this process as the server of the data folder. Returns a function that removes the record. */
export async function recordServerProcess(dataDir: string, configFile?: string): Promise<() => Promise<void>> {
  const record: ServerProcess = { pid: process.pid, startTicks: await readStartTicks(process.pid), configFile }
  const text = JSON.stringify(record)
  // A server with DATABASE_URL and BELFRY_SECRET needs no data folder. Without a record, `doctor` checks its own settings.
  await writeFile(filePath(dataDir), text, { mode: 0o600 }).catch(() => {})
  return async () => {
    // A server that started later may have replaced the record.
    const currentText = await readFile(filePath(dataDir), 'utf8').catch(() => undefined)
    if (currentText === text) await rm(filePath(dataDir), { force: true })
  }
}

export async function readServerSettings(dataDir: string): Promise<ServerSettings> {
  const server = await readRecord(dataDir)
  if (server === undefined || !(await isRunning(server))) return { kind: 'no-server' }
  const { pid, configFile } = server
  try {
    const [text, workingFolder, { mtimeMs: startedMs }] = await Promise.all([
      readFile(`/proc/${pid}/environ`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
      stat(filePath(dataDir)),
    ])
    const settings = collectSettings(parseEnvironment(text), { workingFolder, configFile })
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

async function readRecord(dataDir: string): Promise<ServerProcess | undefined> {
  try {
    const { pid, startTicks, configFile } = JSON.parse(await readFile(filePath(dataDir), 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? { pid, startTicks, configFile } : undefined
  } catch {
    return undefined
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
  // The second field is the name in parentheses, which can contain anything. The start is field 22.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

function parseEnvironment(text: string): Environment {
  const env: Record<string, string> = {}
  for (const entry of text.split('\0')) {
    const separator = entry.indexOf('=')
    if (separator > 0) env[entry.slice(0, separator)] = entry.slice(separator + 1)
  }
  return env
}
