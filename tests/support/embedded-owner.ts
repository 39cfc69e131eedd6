/** A stand-in for the server, to be killed by tests: holds the data folder's database until it is ended. */

import { startEmbedded } from '../../src/storage/embedded/embedded.ts'

const tell = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
const log = {
  info: (details: object, text: string) => tell({ ...details, text }),
  warn: (details: object, text: string) => tell({ ...details, text }),
  error: (details: object, text: string) => tell({ ...details, text }),
}

const [dataDir = ''] = process.argv.slice(2)
await startEmbedded({ dataDir, log, settings: { fsync: 'off' } })
tell({ text: 'started' })
