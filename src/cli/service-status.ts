import { formatCommand } from '../lib/program.ts'
import { isSystemdRunning } from '../service/admin-command.ts'
import { SERVICE_NAME } from '../service/layout.ts'
import { readServiceStatus, type ServiceStatus } from '../service/status.ts'
import type { Command } from './common/command.ts'

export const serviceStatus: Command = {
  name: 'service status',
  summary: 'show whether the service is installed, running and ready',
  usage: 'service status',
  details: '  Exits with 0 if the server is ready, and with 1 otherwise. Does not need root.',
  switchesToOwner: 'never',
  async run({ out, note }) {
    if (!isSystemdRunning()) {
      note('systemd is not running on this machine, so there is no service.')
      return 1
    }
    const status = await readServiceStatus()
    if (!status.isInstalled) {
      note(`The service is not installed. Run \`${formatCommand('service install')}\` as root.`)
      return 1
    }
    out(listLines(status).join('\n'))
    return status.unreadyReason === undefined ? 0 : 1
  },
}

function listLines(status: ServiceStatus): string[] {
  const { server, unreadyReason } = status
  const rows: [string, string][] = [
    ['Unit', status.unitPath],
    ['Enabled', status.isEnabled ? 'yes, starts at boot' : 'no'],
    ['State', formatState(status)],
    ...(server === undefined
      ? []
      : ([
          ['Version', server.version],
          ['Address', server.address],
        ] as [string, string][])),
    ['Ready', unreadyReason === undefined ? 'yes' : `no. ${unreadyReason}`],
  ]
  const lines = rows.map(([label, text]) => `${label.padEnd(9)}${text}`)
  return unreadyReason === undefined ? lines : [...lines, `Logs: journalctl -u ${SERVICE_NAME} -n 50`]
}

function formatState({ state, since, statusText, result, exitCode }: ServiceStatus): string {
  const word = state === 'active' ? 'running' : state
  const reason = result === 'success' ? '' : ` (${result}, exit code ${exitCode})`
  const isChanging = state === 'activating' || state === 'deactivating'
  const progress = isChanging && statusText !== '' ? `: ${statusText}` : ''
  return `${word}${since === '' ? '' : ` since ${since}`}${reason}${progress}`
}
