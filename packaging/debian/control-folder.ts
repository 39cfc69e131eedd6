/** Writes the DEBIAN folder: what dpkg reads before and after it unpacks the files of the package. */
import { createHash } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_PATH } from '../../src/service/layout.ts'
import { type ControlFields, formatControl } from './control.ts'
import { findLibraryPackages } from './elf.ts'

const maintainerScripts = ['postinst', 'prerm', 'postrm']

type KnownFields = Pick<ControlFields, 'version' | 'architecture' | 'homepage'>

/** Returns the packages of the shared libraries: `fields.libraries`, or, if that is undefined, the packages that it finds. */
export async function writeControlFolder(
  root: string,
  fields: KnownFields & { libraries: string | undefined },
): Promise<string> {
  const folder = join(root, 'DEBIAN')
  await rm(folder, { recursive: true, force: true })
  const files = await listFiles(root)
  await mkdir(folder)
  // dpkg-deb refuses a folder that others can't read, whatever our umask is.
  await chmod(folder, 0o755)
  for (const name of maintainerScripts) {
    await cp(join(import.meta.dirname, name), join(folder, name))
    await chmod(join(folder, name), 0o755)
  }
  const libraries = fields.libraries ?? (await findLibraryPackages(root))
  const installedKibibytes = files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 1024), 0)
  await writeFile(join(folder, 'control'), formatControl({ ...fields, libraries, installedKibibytes }))
  await writeFile(join(folder, 'conffiles'), `${CONFIG_PATH}\n`)
  await writeFile(join(folder, 'md5sums'), await formatChecksums(root, files))
  for (const name of ['control', 'conffiles', 'md5sums']) await chmod(join(folder, name), 0o644)
  return libraries
}

interface PackagedFile {
  /** Relative to the root. */
  path: string
  bytes: number
  isRegular: boolean
}

async function listFiles(root: string): Promise<PackagedFile[]> {
  const paths = (await readdir(root, { recursive: true })).sort()
  return Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(join(root, path))
      // Debian counts a folder or link as one kibibyte.
      return { path, bytes: stats.isFile() ? stats.size : 1024, isRegular: stats.isFile() }
    }),
  )
}

/** `dpkg --verify` uses these checksums. For the configuration file, dpkg records a checksum itself. */
async function formatChecksums(root: string, files: PackagedFile[]): Promise<string> {
  const lines: string[] = []
  for (const { path, isRegular } of files) {
    if (!isRegular || `/${path}` === CONFIG_PATH) continue
    const hash = createHash('md5').update(await readFile(join(root, path)))
    lines.push(`${hash.digest('hex')}  ${path}\n`)
  }
  return lines.join('')
}
