import { requireRoot } from '../service/admin-command.ts'
import { readDataFolder } from '../service/config-file.ts'
import { CONFIG_PATH, UNIT_PATH } from '../service/layout.ts'
import { purgeService, removeService, requireOwnUnit } from '../service/uninstall.ts'
import type { Command } from './common/command.ts'
import { confirm } from './common/confirm.ts'

export const serviceUninstall: Command = {
  name: 'service uninstall',
  summary: 'stop the service and remove it from systemd',
  usage: 'service uninstall [--purge] [--yes]',
  details: [
    '  --purge  also delete all data, the configuration and the system user',
    '  --yes    delete without asking',
    '',
    '  Needs root. Without --purge, it keeps the data and the configuration.',
  ].join('\n'),
  options: { purge: { type: 'boolean' }, yes: { type: 'boolean' } },
  switchesToOwner: 'never',
  async run(invocation) {
    const { options, out } = invocation
    requireRoot()
    await requireOwnUnit()
    const dataDir = await readDataFolder('/')
    if (options['purge']) {
      const warning = `This deletes ${dataDir} with all websites, statistics and monitors, and ${CONFIG_PATH}.`
      await confirm(invocation, { warning, word: 'delete' })
    }
    await removeService()
    out(`Stopped the service and removed ${UNIT_PATH}.`)
    if (options['purge']) await purgeService(out)
    else out(`Kept the data in ${dataDir} and the configuration ${CONFIG_PATH}.`)
    return 0
  },
}
