/** npm run build:licenses: writes the licenses of everything that the pages and the server contain to dist/THIRD-PARTY-LICENSES.txt. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { renderBundledLicenses } from '../packaging/release/licenses.ts'

const root = resolve(import.meta.dirname, '..')
try {
  await writeFile(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), await renderBundledLicenses(root))
} catch (error) {
  console.error(`The licenses could not be collected: ${(error as Error).message}`)
  process.exitCode = 1
}
