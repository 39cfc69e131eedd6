/** Finds programs and shared libraries, removes their symbols, and finds the Debian packages that they need. */
import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from '../execute.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'

/** Returns the absolute paths of all programs and shared libraries below the folder. */
async function listElfFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const elfPaths: string[] = []
  // The files are opened one after the other, because a container may allow only 1,024 open files.
  for (const path of paths) if (await isElf(path)) elfPaths.push(path)
  return elfPaths
}

async function isElf(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.toString('latin1') === '\x7fELF'
  } finally {
    await file.close()
  }
}

/** Only debuggers need the symbols, which are a quarter of Node's size. Symbols that other libraries use stay. */
export async function stripSymbols(folder: string): Promise<void> {
  execute('strip', ['--strip-unneeded', ...(await listElfFiles(folder))], folder)
}

/**
 * Returns the Debian packages, with minimum versions, that contain the shared libraries of Node, PostgreSQL and argon2, in the
 * format of the Depends field.
 */
export async function findLibraryPackages(root: string): Promise<string> {
  const files = (await listElfFiles(root)).sort()
  // dpkg-shlibdeps reads debian/control, which only source packages have, so it gets a minimal one.
  return withTemporaryFolder('belfry-shlibdeps-', async (sourceFolder) => {
    await mkdir(join(sourceFolder, 'debian'))
    await writeFile(join(sourceFolder, 'debian/control'), 'Source: belfry\n\nPackage: belfry\nArchitecture: any\n')
    const output = execute('dpkg-shlibdeps', ['-O', '--ignore-missing-info', ...files], sourceFolder)
    return output.trim().replace(/^shlibs:Depends=/, '')
  })
}
