/** npm run package -- npm: packs Belfry as an npm package. The same commit gives the same bytes. */
import { mkdir } from 'node:fs/promises'
import { packNpm } from '../debian/stage.ts'
import type { PackageOptions } from '../package-options.ts'

export async function build({ output }: PackageOptions): Promise<string[]> {
  await mkdir(output, { recursive: true })
  return [packNpm(output)]
}
