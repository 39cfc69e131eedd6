/** The commands of this machine that can ping: they have the right to, where Node has no way at all. */
import { type ExecFileException, execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { parseFping, parsePing } from './replies.ts'

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const TRIAL_MS = 5_000

export interface PingCommand {
  command: 'fping' | 'ping'
  file: string
}

export interface Ended {
  /** null where it was killed or could not be started. */
  code: number | null
  stdout: string
  stderr: string
  /** What it complained of, in a line. */
  complaint: string
}

/** The one that really works, tried on this machine itself; fping where there is the choice, because it pings many at once. */
export async function findPing(path = SYSTEM_PATH): Promise<PingCommand | { missing: string }> {
  const complaints: string[] = []
  for (const command of ['fping', 'ping'] as const) {
    const file = await findFile(command, path)
    if (file === undefined) continue
    const args = command === 'fping' ? ['-C', '1', '127.0.0.1'] : ['-q', '-c', '1', '-W', '1', '127.0.0.1']
    const ended = await runCommand(file, args, TRIAL_MS)
    const works = command === 'fping' ? parseFping(ended.stderr).size > 0 : parsePing(ended.stdout) !== undefined
    if (works) return { command, file }
    complaints.push(`${file} does not work (${ended.complaint})`)
  }
  if (complaints.length === 0) return { missing: 'neither fping nor ping is installed. Install fping.' }
  return {
    missing: `${complaints.join(', ')}. Give it the right to: setcap cap_net_raw+ep, as root; in a container, the capability NET_RAW.`,
  }
}

async function findFile(command: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(':')) {
    const file = join(folder, command)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}

/** Never through a shell, and with nothing of our own environment, which may hold secrets. */
export function runCommand(file: string, args: string[], timeoutMs: number, signal?: AbortSignal): Promise<Ended> {
  const env = { PATH: SYSTEM_PATH, LC_ALL: 'C' }
  const options = { cwd: '/', env, timeout: timeoutMs, killSignal: 'SIGKILL', ...(signal && { signal }) } as const
  return new Promise((resolve) => {
    const end = (error: ExecFileException | null, stdout = '', stderr = '') => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      resolve({ code, stdout, stderr, complaint: complaintOf(stderr) || (error?.message ?? 'nothing') })
    }
    try {
      execFile(file, args, { ...options, encoding: 'utf8' }, end)
    } catch (error) {
      // Of what a machine may be short of, Node throws some.
      end(error as ExecFileException)
    }
  })
}

/** The first line is enough, without the command's own path before it. */
function complaintOf(stderr: string): string {
  const [line = ''] = stderr.trim().split('\n')
  return line.replace(/^\S*ping: /, '').trim()
}
