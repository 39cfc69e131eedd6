/** One build of the application, as it lies in its folder: the shell, and which files may be asked for. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { Shell } from './shell.ts'

export interface WebFile {
  path: string
  type: string
  /** Bytes as it is, and compressed where that was worth it. */
  sizes: { plain: number; br?: number; gzip?: number }
  /** Of a file whose name stays when it changes; one with a hash in its name never does. */
  tag: string | undefined
}

export interface Edition {
  /** Differs from build to build. */
  stamp: string
  shell: Shell
  /** By their path below the folder: nothing else is served. */
  files: ReadonlyMap<string, WebFile>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

const shellName = 'index.html'

/** What tells a build from another without reading it; undefined where there is none. */
export async function findStamp(folder: string): Promise<string | undefined> {
  const found = await stat(join(folder, shellName)).catch(() => undefined)
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`
}

export async function findEdition(folder: string): Promise<Edition | undefined> {
  const stamp = await findStamp(folder)
  if (stamp === undefined) return undefined
  const [html, sizes] = await Promise.all([readFile(join(folder, shellName), 'utf8'), sizesIn(folder)])
  const names = [...sizes.keys()].filter((name) => name !== shellName && !/\.(?:br|gz)$/.test(name))
  const files = await Promise.all(names.map(async (name) => [name, await describe(folder, name, sizes)] as const))
  return { stamp, shell: new Shell(html), files: new Map(files) }
}

async function sizesIn(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(paths.map(async (path) => [relative(folder, path), (await stat(path)).size] as const)),
  )
}

async function describe(folder: string, name: string, sizes: ReadonlyMap<string, number>): Promise<WebFile> {
  const path = join(folder, name)
  const [br, gzip] = [sizes.get(`${name}.br`), sizes.get(`${name}.gz`)]
  return {
    path,
    type: types[extname(name)] ?? 'application/octet-stream',
    sizes: { plain: sizes.get(name) ?? 0, ...(br !== undefined && { br }), ...(gzip !== undefined && { gzip }) },
    tag: name.startsWith('assets/') ? undefined : `"${await hashOf(path)}"`,
  }
}

async function hashOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('base64url')
    .slice(0, 16)
}
