/** Runs the ping commands of this machine, because Node can't send ICMP packets itself. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { SYSTEM_PATH } from '../../../lib/system-path.ts'
import { parseFping, parsePing } from './replies.ts'

/** Timeout of the ping to this machine that tests whether a command works. */
const SELF_PING_TIMEOUT_MS = 5_000
const SELF_ADDRESS = '127.0.0.1'
/** Pings of hundreds of addresses print far less. A host that answers a ping with thousands of errors must not fill the memory. */
const MAX_OUTPUT_LENGTH = 1024 * 1024

export interface PingCommand {
  command: 'fping' | 'ping'
  file: string
}

export interface PingCommandResult {
  /** null if the command was killed or could not be started. */
  code: number | null
  /** Whether the command was killed because it took too long. */
  wasKilled: boolean
  stdout: string
  stderr: string
  /** The first line of the error output. */
  errorLine: string
}

/**
 * Finds a ping command that works, by pinging this machine with it. Prefers fping because one process can ping many
 * addresses. `unavailable` says why no command works, and how to fix that.
 */
export async function findPingCommand(path = SYSTEM_PATH): Promise<PingCommand | { unavailable: string }> {
  const problems: string[] = []
  for (const command of ['fping', 'ping'] as const) {
    const file = await findFile(command, path)
    if (file === undefined) continue
    const args = command === 'fping' ? ['-C', '1', SELF_ADDRESS] : ['-q', '-c', '1', '-W', '1', SELF_ADDRESS]
    const result = await runCommand(file, args, SELF_PING_TIMEOUT_MS)
    const replies = command === 'fping' ? parseFping(result.stderr).get(SELF_ADDRESS) : parsePing(result.stdout)
    if (replies !== undefined && replies.received > 0) return { command, file }
    // fping 5.1 ignores all replies if it has no right to open raw sockets. Then it gets no reply even from this
    // machine.
    const problem = replies === undefined ? result.errorLine : `no reply from ${SELF_ADDRESS}`
    problems.push(`${file} does not work (${problem})`)
  }
  if (problems.length === 0) return { unavailable: 'neither fping nor ping is installed. Install fping.' }
  return {
    unavailable: `${problems.join(', ')}. Allow it to open raw sockets: run setcap cap_net_raw+ep as root, or give the container the capability NET_RAW.`,
  }
}

async function findFile(command: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(':')) {
    const file = join(folder, command)
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isExecutable) return file
  }
  return undefined
}

/** Runs a command without a shell, and without our own environment variables, which may contain secrets. */
export function runCommand(
  file: string,
  args: string[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<PingCommandResult> {
  const env = { PATH: SYSTEM_PATH, LC_ALL: 'C' }
  return new Promise((resolve) => {
    let stdout = ''
    let stderr = ''
    const finish = (code: number | null, wasKilled: boolean, message = 'no output') =>
      resolve({ code, wasKilled, stdout, stderr, errorLine: getFirstErrorLine(stderr) || message })
    try {
      const child = spawn(file, args, {
        cwd: '/',
        env,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        ...(signal && { signal }),
        stdio: ['ignore', 'pipe', 'pipe'],
        // A command in its own session has no terminal. Otherwise it could use the terminal of Belfry, which may be
        // root's.
        detached: true,
      })
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = appendOutput(stdout, text)))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = appendOutput(stderr, text)))
      child.once('error', ({ message }) => finish(null, child.killed, message))
      child.once('close', (code) => finish(code, child.killed))
    } catch (error) {
      // Node throws some errors here instead of emitting them, such as EMFILE.
      finish(null, false, (error as Error).message)
    }
  })
}

function appendOutput(output: string, text: string): string {
  return output + text.slice(0, MAX_OUTPUT_LENGTH - output.length)
}

/** Returns the first line of the error output without the command's name at its start. */
function getFirstErrorLine(stderr: string): string {
  const [line = ''] = stderr.trim().split('\n')
  return line.replace(/^\S*ping: /, '').trim()
}
