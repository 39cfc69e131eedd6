/** Runs the commands of the system that install and control the service. */
import { existsSync } from 'node:fs'
import { StartupError } from '../lib/startup-error.ts'
import { isRoot } from '../storage/embedded/identity.ts'
import { run } from '../storage/embedded/run.ts'

/** Returns the output of the command. If the command fails, throws an error with what it printed. */
export async function runAdminCommand(command: [string, ...string[]]): Promise<string> {
  const { code, stdout, stderr, failure } = await run(command)
  if (code === 0) return stdout
  const reason =
    failure?.code === 'ENOENT'
      ? `${command[0]} is not installed`
      : stderr.trim() || (failure?.message ?? `exit code ${code}`)
  throw new StartupError(
    `\`${command.join(' ')}\` failed: ${reason}`,
    'Fix the reported problem, and run the command again.',
  )
}

/** Returns undefined if the command fails. */
export async function tryAdminCommand(command: [string, ...string[]]): Promise<string | undefined> {
  const { code, stdout } = await run(command)
  return code === 0 ? stdout : undefined
}

export function requireRoot(): void {
  if (isRoot()) return
  throw new StartupError('Only root can change the services of this machine.', 'Run this command with sudo.')
}

/** systemd creates this folder when it boots the machine. */
export const isSystemdRunning = () => existsSync('/run/systemd/system')

/**
 * systemd-notify ends immediately after it has sent a message. Earlier versions of systemd lose such messages, so they
 * never notice that Belfry has started.
 */
const MIN_SYSTEMD_VERSION = 246

/** Throws if systemd is not running on this machine, or if it is too old for the unit. */
export async function requireSystemd(): Promise<void> {
  if (!isSystemdRunning()) {
    throw new StartupError(
      'systemd is not running on this machine.',
      'Print the unit with --print, or install into another system, whose root folder you name with --root <folder>.',
    )
  }
  const version = Number((await runAdminCommand(['systemctl', '--version'])).match(/^systemd (\d+)/)?.[1])
  if (version >= MIN_SYSTEMD_VERSION) return
  throw new StartupError(
    `This machine has systemd ${version}, but the service needs version ${MIN_SYSTEMD_VERSION} or newer.`,
    'Use a newer release of the operating system, or run Belfry in a container.',
  )
}

/** Returns properties of a unit, by name. For a unit that doesn't exist, systemd returns default values. */
export async function readUnitProperties(unit: string, names: readonly string[]): Promise<Map<string, string>> {
  const text = await runAdminCommand(['systemctl', 'show', unit, `--property=${names.join(',')}`])
  const lines = text.split('\n').filter((line) => line.includes('='))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
