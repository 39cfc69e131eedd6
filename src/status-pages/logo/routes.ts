/** The logo of a status page, for its owner. Visitors get it from `/status/{slug}/logo`. */
import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { Problem } from '../../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { StatusPageResponse } from '../schema.ts'
import { toStatusPageRecord } from '../status-pages.ts'
import { logoHeaders } from './headers.ts'
import { getLogo, prepareLogo, removeLogo, setLogo } from './logo.ts'
import { type LogoType, logoTypes } from './store.ts'

const tags = ['Status pages']
const path = '/api/status-pages/:id/logo'
const readAccess = { access: requireScopes('status:read') }
const writeAccess = { access: requireScopes('status:write'), right: 'edit shared' } as const

const imageContent = Object.fromEntries(logoTypes.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]))

const unsupportedType = () =>
  new Problem('unsupported_media_type', `Send the file itself as ${logoTypes.join(' or ')}, not in a form.`)

interface UploadedLogo {
  mediaType: LogoType
  file: Buffer
}

export function statusPageLogoRoutes(app: App, { clock, config, db, secret }: RouteDeps): void {
  app.get(
    path,
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getStatusPageLogo',
        summary: 'Get the logo of a status page',
        params: idParams,
        response: { 200: { description: 'The logo', content: imageContent } },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const key = { teamId: caller.teamId, pageId: request.params.id }
      const { mediaType, content } = await getLogo(db.as(caller), key)
      return reply
        .headers({ ...logoHeaders, 'cache-control': 'private, no-cache' })
        .type(mediaType)
        .send(content as never)
    },
  )

  app.delete(
    path,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteStatusPageLogo',
        summary: 'Delete the logo of a status page',
        description: '`id` in the response is the id of the status page.',
        params: idParams,
        response: { 200: deletedResponse('status_page_logo') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      const change = { teamId: caller.teamId, pageId: id, now: clock.now() }
      await db.as(caller).transaction((q) => removeLogo(q, change))
      return toDeleted('status_page_logo', id)
    },
  )

  void app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers()
    for (const mediaType of logoTypes) {
      uploads.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (_request, file, done) =>
        done(null, { mediaType, file }),
      )
    }
    uploads.addContentTypeParser('*', (_request, _body, done) => done(unsupportedType()))

    uploads.put(
      path,
      {
        config: writeAccess,
        schema: {
          tags,
          operationId: 'updateStatusPageLogo',
          summary: 'Upload the logo of a status page',
          description:
            'The body is the file: a PNG of up to 2,000 × 2,000 pixels, or an SVG, and at most 200,000 bytes. Only the picture is kept: texts and metadata of a PNG, and scripts, animations, links, metadata and references to other files in an SVG are removed.',
          params: idParams,
          selfParsedBody: Type.String({ format: 'binary', minLength: 1 }),
          bodyTypes: logoTypes,
          response: { 200: StatusPageResponse },
          errors: [422],
        },
      },
      async (request) => {
        const caller = callerOf(request)
        const upload = request.body as UploadedLogo | undefined
        if (upload === undefined) throw unsupportedType()
        const logo = await prepareLogo(caller.teamId, upload.mediaType, upload.file)
        const { id } = request.params as { id: number }
        const change = { teamId: caller.teamId, pageId: id, now: clock.now() }
        const row = await db.as(caller).transaction((q) => setLogo(q, change, logo))
        return { data: toStatusPageRecord(row, { serverUrl: config.url, secret, teamId: caller.teamId }) }
      },
    )
  })
}
