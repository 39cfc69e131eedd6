/** The files of the application: those with a hash in their name for good, the others asked after each time. */
import { type FileHandle, open } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { probe } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { chooseEncoding } from '../http/encodings.ts'
import { notFound } from '../lib/problem.ts'
import type { WebApplication } from './application.ts'
import type { WebFile } from './edition.ts'

/** What stands at the top, where a domain could stand too. */
const topFiles = ['icon.svg', 'favicon.ico']

const suffixes = { br: '.br', gzip: '.gz', plain: '' } as const

export function webFileRoutes(app: App, { web }: { web: WebApplication }): void {
  const hidden = { config: { access: probe }, schema: { hide: true } }

  for (const name of topFiles) {
    app.get(`/${name}`, hidden, async (request, reply) => send(request, reply, await web.findFile(name)))
  }

  app.get(
    '/assets/*',
    { ...hidden, schema: { hide: true, params: Type.Object({ '*': Type.String() }) } },
    async (request, reply) => send(request, reply, await web.findFile(`assets/${request.params['*']}`)),
  )
}

async function send(request: FastifyRequest, reply: FastifyReply, file: WebFile | undefined) {
  if (file === undefined) throw notFound()
  const { path, type, sizes, tag } = file
  const encoding = chooseEncoding(request.headers['accept-encoding'], (one) => sizes[one] !== undefined)
  const kind = encoding ?? 'plain'
  const handle = await openFile(path + suffixes[kind])
  reply.headers({
    'cache-control': tag === undefined ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    // Weak: it is one and the same for every encoding.
    ...(tag !== undefined && { etag: `W/${tag}` }),
  })
  if (tag !== undefined && request.headers['if-none-match']?.includes(tag)) {
    await handle.close()
    return reply.code(304).send()
  }
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  // Read as it is sent: nothing of it stays in memory.
  return reply
    .type(type)
    .header('content-length', sizes[kind])
    .send(handle.createReadStream() as never)
}

/** A build that has just been replaced is gone with its files. */
async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notFound()
    throw error
  }
}
