/** A process like that of a test run: it creates its folders in the folder that its argument names, and starts a database and a server. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { createRunFolders } from './run-folders.ts'

const [parent = ''] = process.argv.slice(2)
const folders = createRunFolders({ database: parent, temporary: parent })
const silentLog = { info: () => {}, warn: () => {}, error: () => {} }
await startEmbedded({ dataDir: join(folders.database, 'data'), log: silentLog, settings: { fsync: 'off' } })
const env = { ...process.env, TMPDIR: folders.temporary }
const { pid } = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { env, detached: true })
process.stdout.write(`${JSON.stringify({ folders, pid })}\n`)
