/** Reads the state of the service from systemd and from the server itself. Needs no special privileges. */
import { readUnitProperties } from './admin-command.ts'
import { UNIT_FILE } from './layout.ts'

const READY_TIMEOUT_MS = 5_000

export interface ServiceStatus {
  isInstalled: boolean
  /** Where the unit is. */
  unitPath: string
  isEnabled: boolean
  /** systemd's word for the state: active, activating, inactive, failed… */
  state: string
  /** When the service entered this state. */
  since: string
  /** What the server last reported. */
  statusText: string
  /** How the last process ended, for example `exit-code`. `success` if it didn't fail. */
  result: string
  exitCode: string
  /** Where the server listens, and its version; undefined while it is not running. */
  server: { version: string; address: string } | undefined
  /** Why the server is not ready; undefined if it is ready. */
  unreadyReason: string | undefined
}

export async function readServiceStatus(): Promise<ServiceStatus> {
  const properties = await readUnitProperties(UNIT_FILE, [
    'LoadState',
    'FragmentPath',
    'UnitFileState',
    'ActiveState',
    'StateChangeTimestamp',
    'StatusText',
    'Result',
    'ExecMainStatus',
  ])
  const read = (name: string) => properties.get(name) ?? ''
  const server = read('ActiveState') === 'active' ? parseStatusText(read('StatusText')) : undefined
  return {
    isInstalled: read('LoadState') === 'loaded',
    unitPath: read('FragmentPath'),
    isEnabled: read('UnitFileState') === 'enabled',
    state: read('ActiveState'),
    since: read('StateChangeTimestamp'),
    statusText: read('StatusText'),
    result: read('Result'),
    exitCode: read('ExecMainStatus'),
    server,
    unreadyReason: server === undefined ? 'The server is not running.' : await findUnreadyReason(server.address),
  }
}

/**
 * Parses what `serve` reports when it is ready. Every user can read this text, but only root and the service can read the configuration.
 */
export function parseStatusText(text: string): { version: string; address: string } | undefined {
  const [, version, address] = /^Belfry (\S+) is running at (http:\S+)$/.exec(text) ?? []
  return version === undefined || address === undefined ? undefined : { version, address }
}

export async function findUnreadyReason(address: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(READY_TIMEOUT_MS) })
    const body = (await response.json()) as { message?: string }
    return response.ok ? undefined : (body.message ?? `The server responded with ${response.status}.`)
  } catch (error) {
    const { cause, message } = error as Error
    return `The server doesn't respond: ${cause instanceof Error ? cause.message : message}.`
  }
}
