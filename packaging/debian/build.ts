/**
 * npm run package -- deb: builds the Debian package for the architecture of this machine. Needs dpkg-deb and dpkg-shlibdeps, but
 * not root. The same commit gives the same bytes.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { execute } from '../execute.ts'
import type { PackageOptions } from '../package-options.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { findDebianArchitecture, formatDebianVersion } from './control.ts'
import { writeControlFolder } from './control-folder.ts'
import { provideProgram } from './stage.ts'
import { writeSystemFiles } from './system-files.ts'

const projectFolder = resolve(import.meta.dirname, '../..')

export function build({ output, program }: PackageOptions): Promise<string[]> {
  return withTemporaryFolder('belfry-deb-', async (workFolder) => {
    const root = join(workFolder, 'root')
    await provideProgram(join(root, 'usr/lib/belfry'), program)
    await prepareRoot(root)
    return [await packRoot(root, { output })]
  })
}

/**
 * Sizes and CPU times measured with version 0.1.0 on arm64: xz 2: 55 MB, 35 s; xz 6: 48 MB, minutes; gzip 1: 80 MB, 4 s.
 * Zstandard would unpack three times faster, but Debian's policy forbids it.
 */
const compressionOptions = { small: ['-Zxz', '-z2'], none: ['-Znone'] }

interface PackOptions {
  output: string
  /** `none` is for tests: building a package then takes half a second. */
  compression?: keyof typeof compressionOptions
}

interface PrepareOptions {
  /** By default, the version of the program. */
  version?: string
  /** The result of an earlier call with the same program. Without it, finding the packages takes seven seconds of processor time. */
  libraries?: string
}

/** Adds everything but the program, which is already in `root`. Returns the packages of the program's shared libraries. */
export async function prepareRoot(root: string, options: PrepareOptions = {}): Promise<string> {
  const program = JSON.parse(await readFile(join(root, 'usr/lib/belfry/package.json'), 'utf8'))
  const { version = program.version } = options
  const debianVersion = formatDebianVersion(version)
  await writeSystemFiles(root, { version, debianVersion, date: readBuildDate() })
  const architecture = findDebianArchitecture(process.arch)
  const { homepage } = program
  const fields = { version: debianVersion, architecture, homepage, libraries: options.libraries }
  return writeControlFolder(root, fields)
}

/** Returns the path of the package. */
export async function packRoot(root: string, { output, compression = 'small' }: PackOptions): Promise<string> {
  await mkdir(output, { recursive: true })
  // dpkg-deb sorts the files. If a file is newer than SOURCE_DATE_EPOCH, dpkg-deb gives it this time as its
  // modification time.
  const env = { SOURCE_DATE_EPOCH: String(readBuildDate().getTime() / 1000) }
  // For a folder, dpkg-deb chooses the usual name: belfry_<version>_<architecture>.deb.
  const args = ['--root-owner-group', ...compressionOptions[compression], '--build', root, output]
  const text = execute('dpkg-deb', args, root, { ...env, LC_ALL: 'C' })
  const path = text.match(/ in '(.*)'/)?.[1]
  if (path === undefined) throw new Error(`The output of dpkg-deb doesn't name the package: ${text}`)
  return path
}

/** Returns the time of the last commit, so that the same sources give the same package. */
function readBuildDate(): Date {
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? execute('git', ['log', '-1', '--format=%ct'], projectFolder)
  return new Date(Number(epoch) * 1000)
}
