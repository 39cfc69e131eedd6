import { resolve } from 'node:path'
import { type Command, UsageError } from './common/command.ts'
import { readDomainArgument } from './traffic-site.ts'

export const trafficImport: Command = {
  name: 'traffic import',
  summary: "import a website's traffic from Belfry or Plausible",
  usage: 'traffic import <domain> <file|folder|zip> [--add]',
  details: [
    '  Reads a CSV file of `traffic export`, or the files of a Plausible export in a folder or as the downloaded ZIP file.',
    '  Imports everything or nothing: an invalid line is reported with its number, and Ctrl-C leaves nothing behind. Days',
    '  that already have traffic are rejected, so that nothing is counted twice; --add adds to them.',
  ].join('\n'),
  options: { add: { type: 'boolean' } },
  maxArguments: 2,
  switchesToOwner: 'later',
  async run(invocation) {
    const domain = readDomainArgument(invocation)
    const path = invocation.positionals[1]
    if (path === undefined) throw new UsageError('Missing argument: <file|folder|zip>')
    // This module is loaded on demand, because other commands and the server do not need it.
    const { importFiles } = await import('./traffic-import-files.ts')
    invocation.out(await importFiles(invocation, domain, resolve(path)))
    return 0
  },
}
