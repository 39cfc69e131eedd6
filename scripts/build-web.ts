/** npm run build: builds web/ into web/dist, or into the folder given as argument, and compresses every file. */
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const sourceFolder = join(import.meta.dirname, '..', 'web')

/** A smaller file takes the same number of packets with and without compression. */
const MIN_COMPRESSIBLE_BYTES = 1_000
/** Other formats, such as fonts and images, are already compressed. */
const compressiblePattern = /\.(?:js|css|svg|json|webmanifest|txt)$/
const MAX_SWAP_ATTEMPTS = 5
const TEMPORARY_PREFIX = '.dist-'
/** No build takes this long, so an older temporary folder is left over from a killed build. */
const MIN_STALE_AGE_MS = 600_000

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Compresses the file with Brotli if that makes it smaller. Returns its size, uncompressed and as most browsers receive it. */
async function compress(file: string): Promise<{ plainBytes: number; sentBytes: number }> {
  const bytes = await readFile(file)
  const plainBytes = bytes.length
  if (!compressiblePattern.test(file) || plainBytes < MIN_COMPRESSIBLE_BYTES)
    return { plainBytes, sentBytes: plainBytes }
  const br = await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plainBytes } })
  if (br.length >= plainBytes) return { plainBytes, sentBytes: plainBytes }
  await writeFile(`${file}.br`, br)
  return { plainBytes, sentBytes: br.length }
}

/**
 * A running server never sees a mix of the old and the new build. Of two concurrent builds, the later one wins. If the new build
 * can't be moved into place, the old one stays.
 */
export async function replaceBuild(temporaryFolder: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const oldFolder = `${temporaryFolder}-old`
    await rename(target, oldFolder).catch(() => {})
    try {
      await rename(temporaryFolder, target)
      return
    } catch (error) {
      // Moving the old build back fails if there was none, or if a concurrent build has already taken its place.
      await rename(oldFolder, target).catch(() => {})
      if (attempt === MAX_SWAP_ATTEMPTS) throw error
    } finally {
      if (existsSync(target)) await rm(oldFolder, { recursive: true, force: true })
    }
  }
}

/** Deletes temporary folders of killed builds. */
async function deleteStaleFolders(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(TEMPORARY_PREFIX))
  for (const path of names.map((name) => join(folder, name))) {
    const { mtimeMs = Date.now() } = await stat(path).catch(() => ({ mtimeMs: undefined }))
    if (Date.now() - mtimeMs > MIN_STALE_AGE_MS) await rm(path, { recursive: true, force: true })
  }
}

async function buildWeb(target: string): Promise<string> {
  const startedAt = new Date()
  await deleteStaleFolders(dirname(target))
  // The temporary folder is beside the target, so that a rename is enough to replace the target.
  const temporaryFolder = await mkdtemp(join(dirname(target), TEMPORARY_PREFIX))
  try {
    // `mkdtemp` gives only its own user access, but the server may run as another user.
    await chmod(temporaryFolder, 0o755)
    const { build } = await import('vite')
    await build({
      configFile: join(sourceFolder, 'vite.config.ts'),
      configLoader: 'native',
      build: { outDir: temporaryFolder, emptyOutDir: false },
    })
    const sizes = await Promise.all((await listFiles(temporaryFolder)).map(compress))
    // Date the build back to its start, so that `isWebStale` notices a source file that changed during the build.
    await utimes(join(temporaryFolder, 'index.html'), startedAt, startedAt)
    await replaceBuild(temporaryFolder, target)
    const sumKilobytes = (kind: 'plainBytes' | 'sentBytes') =>
      Math.round(sizes.reduce((sum, size) => sum + size[kind], 0) / 1000)
    const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(1)
    return `${sizes.length} files, ${sumKilobytes('plainBytes')} kB, ${sumKilobytes('sentBytes')} kB compressed, in ${seconds} s`
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  // Tests set NODE_ENV to another value, and Vite would build for that environment.
  process.env['NODE_ENV'] = 'production'
  try {
    const summary = await buildWeb(resolve(process.argv[2] ?? join(sourceFolder, 'dist')))
    console.log(`Built the web application: ${summary}.`)
  } catch (error) {
    console.error(`The web application could not be built: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
