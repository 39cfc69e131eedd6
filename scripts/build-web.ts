/** npm run build: makes web/dist out of web/, every file also compressed. Another folder may be given. */
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const source = join(import.meta.dirname, '..', 'web')

/** Below this a compressed answer needs as many packets as a plain one. */
const WORTH_BYTES = 1_000
/** Of those that compress themselves there is nothing to gain. */
const compressible = /\.(?:js|css|svg|json|webmanifest|txt)$/
const swapTries = 5
const begun = '.dist-'
/** No build takes this long. */
const LEFT_MS = 600_000

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Sizes in bytes: as it is, and as most browsers get it. */
async function compress(file: string): Promise<{ plain: number; sent: number }> {
  const bytes = await readFile(file)
  const plain = bytes.length
  if (!compressible.test(file) || plain < WORTH_BYTES) return { plain, sent: plain }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain } }),
    promisify(gzip)(bytes, { level: 9 }),
  ])
  if (br.length >= plain) return { plain, sent: plain }
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
  return { plain, sent: br.length }
}

/** A running server finds the old one or the new one, whole. Of two builds at the same moment the later one stays. */
async function putInPlace(made: string, target: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const old = `${made}-old`
    await rename(target, old).catch(() => {})
    try {
      await rename(made, target)
      return
    } catch (error) {
      if (tries === swapTries) throw error
    } finally {
      await rm(old, { recursive: true, force: true })
    }
  }
}

/** What a build left that was killed. */
async function sweep(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(begun))
  for (const path of names.map((name) => join(folder, name))) {
    const { mtimeMs = Date.now() } = await stat(path).catch(() => ({ mtimeMs: undefined }))
    if (Date.now() - mtimeMs > LEFT_MS) await rm(path, { recursive: true, force: true })
  }
}

async function buildWeb(target: string): Promise<string> {
  const began = new Date()
  await sweep(dirname(target))
  // Beside its place, so that a rename is enough to get it there.
  const made = await mkdtemp(join(dirname(target), begun))
  try {
    // Readable by a server that runs as somebody else.
    await chmod(made, 0o755)
    const { build } = await import('vite')
    await build({
      configFile: join(source, 'vite.config.ts'),
      configLoader: 'native',
      build: { outDir: made, emptyOutDir: false },
    })
    const sizes = await Promise.all((await filesIn(made)).map(compress))
    // What is changed while we read it counts as newer than this.
    await utimes(join(made, 'index.html'), began, began)
    await putInPlace(made, target)
    const kilobytes = (kind: 'plain' | 'sent') => Math.round(sizes.reduce((sum, size) => sum + size[kind], 0) / 1000)
    const seconds = ((Date.now() - began.getTime()) / 1000).toFixed(1)
    return `${sizes.length} files, ${kilobytes('plain')} kB, ${kilobytes('sent')} kB compressed, in ${seconds} s`
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** Whether somebody changed the application, or what it is made with, since it was built. */
export async function isWebStale(target = join(source, 'dist')): Promise<boolean> {
  const built = await stat(join(target, 'index.html')).catch(() => undefined)
  if (built === undefined) return true
  const sources = (await filesIn(source)).filter((file) => !/^(?:dist|\.dist-)/.test(file.slice(source.length + 1)))
  for (const file of [...sources, join(source, '..', 'package-lock.json'), import.meta.filename]) {
    const { mtimeMs } = await stat(file)
    if (mtimeMs > built.mtimeMs) return true
  }
  return false
}

if (import.meta.main) {
  // Whoever runs tests has another, and Vite would build for that.
  process.env['NODE_ENV'] = 'production'
  try {
    const line = await buildWeb(resolve(process.argv[2] ?? join(source, 'dist')))
    console.log(`The web application is built: ${line}.`)
  } catch (error) {
    console.error(`The web application is not built: ${(error as Error).message}`)
    process.exitCode = 1
  }
}
