/** A build of the web application on disk: the HTML shell, and the files that can be requested. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { Shell } from './shell.ts'

export interface WebFile {
  path: string
  contentType: string
  /** Whether the build contains a version compressed with Brotli. Files that compress badly have none. */
  isCompressible: boolean
  /** Undefined for a file with a hash in its name, which never changes. */
  etag: string | undefined
}

export interface LoadedWebBuild {
  /** Identifies the build. */
  stamp: string
  shell: Shell
  /** The files by their path relative to the folder. Only these files are served. */
  files: ReadonlyMap<string, WebFile>
}

const contentTypes: Record<string, string> = {
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

/** Identifies a build without reading its files; undefined if there is none. */
export async function findBuildStamp(folder: string): Promise<string | undefined> {
  const stats = await stat(join(folder, shellName)).catch(() => undefined)
  return stats && `${stats.ino} ${stats.mtimeMs} ${stats.size}`
}

export async function readWebBuild(folder: string): Promise<LoadedWebBuild | undefined> {
  const stamp = await findBuildStamp(folder)
  if (stamp === undefined) return undefined
  const [html, allNames] = await Promise.all([readFile(join(folder, shellName), 'utf8'), listFiles(folder)])
  const names = [...allNames].filter((name) => name !== shellName && !name.endsWith('.br'))
  const files = await Promise.all(
    names.map(async (name) => [name, await describeFile(folder, name, allNames)] as const),
  )
  return { stamp, shell: new Shell(html), files: new Map(files) }
}

/** Lists only names. The start of the server waits for this, and reading the sizes of hundreds of icons would delay it. */
async function listFiles(folder: string): Promise<Set<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return new Set(files.map((entry) => relative(folder, join(entry.parentPath, entry.name))))
}

async function describeFile(folder: string, name: string, allNames: ReadonlySet<string>): Promise<WebFile> {
  const path = join(folder, name)
  return {
    path,
    contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
    isCompressible: allNames.has(`${name}.br`),
    etag: name.startsWith('assets/') ? undefined : `"${await hashFile(path)}"`,
  }
}

async function hashFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('base64url')
    .slice(0, 16)
}
