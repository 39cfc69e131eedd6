/** Writes the documents of a release: bill of materials, licenses, release notes and checksums. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { findChangelogSection } from './changelog.ts'
import { listComponents } from './components.ts'
import { renderAllLicenses } from './licenses.ts'
import { createSbom } from './sbom.ts'

const SUMS_FILE = 'SHA256SUMS'

/** `source` is a checkout of the release in which the packages are installed and built. */
export async function writeDocuments(source: string, folder: string, version: string, date: Date): Promise<void> {
  const sbom = createSbom(await listComponents(source), { version, date })
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await renderAllLicenses(source))
  const notes = findChangelogSection(await readFile(join(source, 'CHANGELOG.md'), 'utf8'), version)
  await writeFile(join(folder, 'RELEASE-NOTES.md'), `# Belfry ${version}\n\n${notes}\n`)
}

/** Writes the checksums of all files in the folder, for `sha256sum --check`. Returns them. */
export async function writeSums(folder: string): Promise<string> {
  const lines: string[] = []
  for (const name of (await readdir(folder)).filter((file) => file !== SUMS_FILE).sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, SUMS_FILE), lines.join(''))
  return lines.join('')
}
