/** npm run package -- npm: packs Belfry as an npm package. The same commit gives the same bytes. */
import { mkdir } from 'node:fs/promises'
import type { PackageOptions } from '../../scripts/package.ts'
import { packNpm } from '../debian/stage.ts'

export async function build({ version, output }: PackageOptions): Promise<string[]> {
  // The running program reads its version from package.json, which is part of the package.
  if (version !== undefined) throw new Error('The npm package has the version of package.json. Change it there.')
  await mkdir(output, { recursive: true })
  return [packNpm(output)]
}
