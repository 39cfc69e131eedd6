/**
 * Puts the program into a folder, as it will be in the image's /opt/belfry. The Containerfile runs this file:
 * node packaging/container/stage.ts FOLDER
 */
import { cp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { provideProgram } from '../debian/stage.ts'
import { renderAllLicenses } from '../release/licenses.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

/** Uses `program`, or a new program if it is undefined. `folder` must not exist. */
export async function stageImageProgram(folder: string, program?: string): Promise<void> {
  await provideProgram(folder, program)
  // Staging removes all license texts, because the Debian package has them in another place.
  await cp(join(projectFolder, 'LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await renderAllLicenses(projectFolder))
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Missing argument: <folder>')
  await stageImageProgram(resolve(folder))
}
