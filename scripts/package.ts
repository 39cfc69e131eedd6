/** npm run package -- <npm|deb|image> [--version X] [--output DIR]: builds the npm package, Debian package or container image. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface PackageOptions {
  /** Replaces the version in package.json. */
  version?: string
  /** The folder for the results. It is created if it doesn't exist. */
  output: string
}

/** `build` returns the paths of the files that it wrote. */
type Builder = { build(options: PackageOptions): Promise<string[]> }

const builders: Readonly<Record<string, () => Promise<Builder>>> = {
  npm: () => import('../packaging/npm/build.ts'),
  deb: () => import('../packaging/debian/build.ts'),
  image: () => import('../packaging/container/build.ts'),
}

const { values, positionals } = parseArgs({
  options: { version: { type: 'string' }, output: { type: 'string', default: 'dist/packages' } },
  allowPositionals: true,
})
const load = builders[positionals[0] ?? '']
if (load === undefined || positionals.length > 1) {
  console.error(`npm run package -- <${Object.keys(builders).join('|')}> [--version X] [--output DIR]`)
  process.exit(2)
}
const { build } = await load()
const { version, output } = values
for (const path of await build({ output: resolve(output), ...(version !== undefined && { version }) }))
  console.log(path)
