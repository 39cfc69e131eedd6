/** npm run build:licenses: writes the licenses of everything that the pages and the server contain to dist/THIRD-PARTY-LICENSES.txt. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { listComponents } from '../packaging/release/components.ts'
import { collectLicenseTexts, formatLicenseTexts } from '../packaging/release/licenses.ts'

const root = resolve(import.meta.dirname, '..')
const bundled = (await listComponents(root)).filter(({ delivery }) => delivery === 'bundled')
const texts = await collectLicenseTexts(root, bundled)
await writeFile(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), formatLicenseTexts(texts))
console.log(`Collected ${texts.length} license texts of ${bundled.length} packages and sources of data.`)
