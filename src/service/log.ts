/** Reads what the service logged. */
import { tryAdminCommand } from './admin-command.ts'
import { UNIT_FILE } from './layout.ts'

const MAX_LINES = 40

/** Returns the last lines, without the time and the name that the journal adds. */
export async function readRecentLog(): Promise<string> {
  // The journal stores the output of services in the background. Wait until it has stored everything.
  await tryAdminCommand(['journalctl', '--sync'])
  const command = ['journalctl', '-u', UNIT_FILE, '-o', 'cat', '-n', String(MAX_LINES), '--no-pager'] as const
  return (await tryAdminCommand([...command])) ?? 'The journal is not readable.'
}

/** Finds the link to create the first account, which the server prints at its start while there is no account. */
export async function findSetupLink(): Promise<string | undefined> {
  return (await readRecentLog()).match(/^\s*(https?:\S+\/setup\?token=\S+)$/m)?.[1]
}
