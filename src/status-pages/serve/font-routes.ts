/** Serves the typeface of status pages, at the own host and at custom domains. It needs no database. */
import { publicFile } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { FONT_PATH, getInterFonts } from '../../lib/inter-fonts.ts'
import { notFound } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'

const headers = {
  'content-type': 'font/woff2',
  // The name of the file contains a hash of its content.
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}

export function statusPageFontRoutes(app: App): void {
  app.get(
    `${FONT_PATH}:font.woff2`,
    { config: { access: publicFile }, schema: { hide: true, params: Type.Object({ font: Type.String() }) } },
    (request, reply) => {
      const font = getInterFonts().find(({ fileName }) => fileName === `${request.params.font}.woff2`)
      if (font === undefined) throw notFound()
      return reply.headers(headers).send(font.content as never)
    },
  )
}
