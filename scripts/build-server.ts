/**
 * npm run build:server: bundles src/ and the packages that it imports into dist/server. `bin/belfry.js` starts the
 * bundle. An installed package needs it, because Node runs no TypeScript from node_modules. Also writes
 * dist/man/belfry.1, and the names of the bundled packages to dist/bundled-packages.json.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { minify } from 'rolldown/utils'
import { formatBundledPackages, listBundledPackages } from '../packaging/bundled-packages.ts'
import { commands } from '../src/cli/commands.ts'
import { replaceBuild } from './build-web.ts'
import { formatManPage } from './man-page.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist', 'server')

/** The files of the bundle with fixed names. `src/lib/separate-module.ts` finds those that `main.ts` doesn't import. */
const entries = {
  main: 'src/main.ts',
  worker: 'src/checker/probes/http/json/worker.ts',
  'traffic-thread': 'src/traffic/threads/traffic-thread.ts',
  'silence-worker': 'src/impact/replay/silence-worker.ts',
  'json-path-library': 'src/lib/json-path-library.ts',
  'markdown-library': 'src/status-pages/render/markdown-library.ts',
}

const outputOptions: OutputOptions = {
  format: 'esm',
  entryFileNames: '[name].js',
  // All files are in one folder, because `findSeparateModule` looks beside the calling module.
  chunkFileNames: '[name]-[hash].js',
  // Line breaks and names stay, so that stack traces are readable.
  minify: { mangle: false, compress: true, codegen: { removeWhitespace: false } },
  comments: false,
}

/** Packages that npm installs beside the bundle, because they contain native code or data files. */
async function readExternalPackages(): Promise<string[]> {
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  // `pg` loads `pg-native` only on request, and Belfry doesn't use it.
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), 'pg-native']
}

async function writeManPage(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await mkdir(join(root, 'dist', 'man'), { recursive: true })
  await writeFile(join(root, 'dist', 'man', 'belfry.1'), formatManPage(version, commands))
}

/** Shortens the names of variables in libraries, which makes the npm package 200 kB smaller. Names of functions and classes stay. */
const shrinkLibraries: Plugin = {
  name: 'shrink-libraries',
  transform: {
    filter: { id: /[/\\]node_modules[/\\].*\.[cm]?js$/ },
    async handler(code, id) {
      const result = await minify(id, code, {
        compress: { keepNames: { function: true, class: true } },
        mangle: { keepNames: true },
        codegen: { removeWhitespace: false },
      })
      return result.errors.length > 0 ? undefined : result.code
    },
  },
}

async function buildServer(): Promise<string> {
  const startedAt = new Date()
  await mkdir(join(root, 'dist'), { recursive: true })
  const temporaryFolder = await mkdtemp(join(root, 'dist', '.server-'))
  try {
    // `mkdtemp` gives only its own user access, but the server may run as another user.
    await chmod(temporaryFolder, 0o755)
    const build = await rolldown({
      cwd: root,
      input: entries,
      platform: 'node',
      external: await readExternalPackages(),
      logLevel: 'warn',
      plugins: [shrinkLibraries],
      // Rolldown would warn about a module that one file imports lazily and another file imports statically.
      checks: { ineffectiveDynamicImport: false },
    })
    const { output } = await build.write({ ...outputOptions, dir: temporaryFolder })
    await build.close()
    const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk')
    const packages = await listBundledPackages(chunks.flatMap(({ moduleIds }) => moduleIds))
    await writeFile(join(root, 'dist', 'bundled-packages.json'), formatBundledPackages(packages))
    await writeManPage()
    // Date the bundle back to the start of the build, so that `findMainModule` notices a source file that changed during the build.
    await utimes(join(temporaryFolder, 'main.js'), startedAt, startedAt)
    await replaceBuild(temporaryFolder, target)
    const kilobytes = Math.round(chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0) / 1000)
    const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1)
    return `${chunks.length} files, ${kilobytes} kB, with ${packages.length} packages, in ${seconds} s`
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  try {
    console.log(`Built the server: ${await buildServer()}.`)
  } catch (error) {
    console.error(`The server could not be built: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
