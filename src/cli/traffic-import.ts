import { resolve } from 'node:path'
import { type Command, UsageError } from './command.ts'
import { readDomainArgument } from './traffic-site.ts'

export const trafficImport: Command = {
  name: 'traffic import',
  summary: 'add what Belfry or Plausible exported to a website',
  usage: 'traffic import <domain> <file|folder|zip> [--add]',
  details: [
    '  A CSV file of events as `traffic export` writes it, or the files that Plausible exports, in a folder or as the zip',
    '  that it offers. All or nothing: a line that is wrong is named, and an interruption changes nothing. Days on which the',
    '  website has traffic are refused, so that nothing counts twice; --add counts them on top.',
  ].join('\n'),
  options: { add: { type: 'boolean' } },
  maxArguments: 2,
  async run(invocation) {
    const domain = readDomainArgument(invocation)
    const name = invocation.positionals[1]
    if (name === undefined) throw new UsageError('From where? Give a file, a folder or a zip.')
    // Imported only here: a server has no use for it, and little memory.
    const { importFiles } = await import('./traffic-import-files.ts')
    invocation.out(await importFiles(invocation, domain, resolve(name)))
    return 0
  },
}
