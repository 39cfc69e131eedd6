/** A minimal server process for tests to kill: it runs the database of a data folder until it is killed. */

import { startEmbedded } from '../../src/storage/embedded/embedded.ts'

const writeLine = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
const log = {
  info: (details: object, text: string) => writeLine({ ...details, text }),
  warn: (details: object, text: string) => writeLine({ ...details, text }),
  error: (details: object, text: string) => writeLine({ ...details, text }),
}

const [dataDir = ''] = process.argv.slice(2)
await startEmbedded({ dataDir, log, settings: { fsync: 'off' } })
writeLine({ text: 'started' })
