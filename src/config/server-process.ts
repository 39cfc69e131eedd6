/**
 * Lets a command read the settings of the server that uses the same data folder. The shell of the command often has other
 * settings, or none. The folder holds only the server's process ID: the settings, which include secrets, stay in the process,
 * and Linux shows them only to the user who runs it and to root.
 */
import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DEFAULT_DATA_FOLDER } from './config.ts'
import type { Environment } from './setting-groups.ts'

interface ServerProcess {
  pid: number
  /** In clock ticks after boot; null if unknown. A later process may get the same ID, but not the same start. */
  startTicks: string | null
}

export type ServerSettings =
  | { kind: 'no-server' }
  /** The process belongs to another user, or the system doesn't show the settings of processes. */
  | { kind: 'hidden'; pid: number }
  | { kind: 'found'; pid: number; env: Environment }

/** Settings that are paths, with their defaults. A server resolves them against its own working directory. */
const pathSettings = { BELFRY_DATA: DEFAULT_DATA_FOLDER, BELFRY_GEO_DB: undefined }

const filePath = (dataDir: string) => join(dataDir, 'server.json')

/** Records this process as the server of the data folder. Returns a function that removes the record. */
export async function recordServerProcess(dataDir: string): Promise<() => Promise<void>> {
  const record: ServerProcess = { pid: process.pid, startTicks: await readStartTicks(process.pid) }
  const text = JSON.stringify(record)
  // A server with DATABASE_URL and BELFRY_SECRET needs no data folder. Then `doctor` checks the settings of its shell.
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
  const { pid } = server
  try {
    const [text, workingDirectory] = await Promise.all([
      readFile(`/proc/${pid}/environ`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
    ])
    const env = parseEnvironment(text, workingDirectory)
    // This folder may be a copy of the server's folder, including its record.
    const isSameFolder = (await realpath(env['BELFRY_DATA'] as string)) === (await realpath(dataDir))
    return isSameFolder ? { kind: 'found', pid, env } : { kind: 'no-server' }
  } catch {
    return { kind: 'hidden', pid }
  }
}

async function readRecord(dataDir: string): Promise<ServerProcess | undefined> {
  try {
    const { pid, startTicks } = JSON.parse(await readFile(filePath(dataDir), 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? { pid, startTicks } : undefined
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

function parseEnvironment(text: string, workingDirectory: string): Environment {
  const env: Record<string, string> = {}
  for (const entry of text.split('\0')) {
    const separator = entry.indexOf('=')
    if (separator > 0) env[entry.slice(0, separator)] = entry.slice(separator + 1)
  }
  for (const [name, fallback] of Object.entries(pathSettings)) {
    const path = env[name]?.trim() || fallback
    if (path !== undefined) env[name] = resolve(workingDirectory, path)
  }
  return env
}
