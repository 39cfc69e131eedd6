/** Serves the files of the web application. Files with a hash in their name can be cached forever; others are revalidated. */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { publicFile } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { chooseEncoding } from '../lib/content-encoding.ts'
import { notFound } from '../lib/problem.ts'
import { Type } from '../lib/type.ts'
import type { WebApplication } from './application.ts'
import type { WebFile } from './build.ts'

/** Each file has its own route. Otherwise the route of the statistics pages, `/<domain>`, would take the file name for a domain. */
const rootFiles = [
  'icon.svg',
  'favicon.ico',
  'apple-touch-icon.png',
  'app-icon-192.png',
  'app-icon-512.png',
  'app-icon-maskable-512.png',
  'manifest.webmanifest',
]

/**
 * The package contains no files for gzip: they would add 450 kB to it, and browsers ask for gzip only where there is no
 * HTTPS. The first request for a file compresses it. After a new build, the entries of the old one are garbage.
 */
const gzippedFiles = new WeakMap<WebFile, Promise<Buffer>>()

export function webFileRoutes(app: App, { web }: { web: WebApplication }): void {
  const undocumentedRoute = { config: { access: publicFile }, schema: { hide: true } }

  for (const name of rootFiles) {
    app.get(`/${name}`, undocumentedRoute, async (request, reply) => sendFile(request, reply, await web.findFile(name)))
  }

  app.get(
    '/assets/*',
    { ...undocumentedRoute, schema: { hide: true, params: Type.Object({ '*': Type.String() }) } },
    async (request, reply) => sendFile(request, reply, await web.findFile(`assets/${request.params['*']}`)),
  )
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile | undefined) {
  if (file === undefined) throw notFound()
  const { path, contentType, isCompressible, etag } = file
  const encoding = chooseEncoding(request.headers['accept-encoding'], () => isCompressible)
  // Opened even if it isn't sent, because a new build may have replaced the file.
  const handle = await openFile(encoding === 'br' ? `${path}.br` : path)
  reply.headers({
    'cache-control': etag === undefined ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    // A weak ETag, because it is the same for all encodings.
    ...(etag !== undefined && { etag: `W/${etag}` }),
  })
  if (etag !== undefined && request.headers['if-none-match']?.includes(etag)) {
    await handle.close()
    return reply.code(304).send()
  }
  reply.type(contentType)
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  if (encoding === 'gzip') {
    await handle.close()
    return reply.send((await gzipFile(file)) as never)
  }
  const { size } = await handle.stat()
  // The file is streamed, so that it doesn't stay in memory.
  return reply.header('content-length', size).send(handle.createReadStream() as never)
}

function gzipFile(file: WebFile): Promise<Buffer> {
  const gzipped = gzippedFiles.get(file) ?? readFile(file.path).then((bytes) => promisify(gzip)(bytes))
  gzippedFiles.set(file, gzipped)
  gzipped.catch(() => gzippedFiles.delete(file))
  return gzipped
}

/** Responds with 404 if a new build has just replaced the file. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound()
    throw error
  }
}
