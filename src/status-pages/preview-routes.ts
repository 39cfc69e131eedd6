/** Shows a page that is being edited exactly as visitors would see it. */
import type { FastifyRequest } from 'fastify'
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { coerce } from '../http/coerce.ts'
import { limitFieldErrors } from '../http/field-errors.ts'
import { limitJson } from '../http/input-limits.ts'
import { getBaseUrl } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { urlPrefixOf } from '../http/url-prefix.ts'
import { describeValidationErrors } from '../http/validation-messages.ts'
import { invalid, Problem } from '../lib/problem.ts'
import { resourceId } from '../lib/schemas.ts'
import { escapeHtml } from '../lib/text.ts'
import { Type } from '../lib/type.ts'
import { loadDraftSnapshot } from './load/draft-snapshot.ts'
import { statusPageHeaders } from './render/headers.ts'
import { renderStatusPage } from './render/html-page.ts'
import { renderNoticePage } from './render/notice-page.ts'
import { CreateStatusPage } from './schema.ts'
import { createStatusPageSettings } from './settings.ts'
import { canSubscribe } from './subscribers/links.ts'

/** `id` is the page that is being edited. A new page has none. */
const Draft = Type.Object(
  { ...CreateStatusPage.properties, id: Type.Optional(resourceId) },
  { additionalProperties: false },
)
type Draft = CreateStatusPage & { id?: number }

/** The editor sends a form, because a frame can only show what a form or a link opens. Programs can send the draft as JSON. */
const Body = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

export function statusPagePreviewRoutes(app: App, { clock, config, db }: RouteDeps): void {
  async function renderPreview(request: FastifyRequest) {
    const caller = sessionOf(request)
    const { id = null, ...input } = parseDraft(request)
    const { settings, groups = [] } = createStatusPageSettings(input, {
      defaultTimeZone: config.timeZone,
      ownHost: new URL(getBaseUrl(config, request)).hostname,
      // The password may be stored already, and the page looks the same with and without one.
      hasPassword: true,
    })
    const { snapshot, storedSlug } = await loadDraftSnapshot(
      db.as(caller),
      { userId: caller.userId, pageId: id, settings, groups },
      { now: clock.now(), canSubscribe: canSubscribe(config) },
    )
    const path = `${urlPrefixOf(config)}/status/${storedSlug ?? settings.slug}`
    return { html: renderStatusPage(snapshot, { path, isPreview: true }), accentColor: snapshot.page.accentColor }
  }

  app.post(
    '/api/status-pages/preview',
    { config: { access: sessionOnly }, schema: { hide: true, body: Body } },
    async (request, reply) => {
      const { html, accentColor, status } = await renderPreview(request)
        .then((preview) => ({ ...preview, status: 200 }))
        .catch((error) => ({ html: renderErrors(error), accentColor: null, status: 422 }))
      return reply
        .code(status)
        .headers({ ...statusPageHeaders({ accentColor }, { isPreview: true }), 'cache-control': 'no-store' })
        .send(html as never)
    },
  )
}

function parseDraft(request: FastifyRequest): Draft {
  const body = request.body as Record<string, unknown>
  const draft = coerce(Draft as object, typeof body['draft'] === 'string' ? parseJson(body['draft']) : body, false)
  const validate = request.compileValidationSchema(Draft, 'body')
  if (!validate(draft)) throw invalid(describeValidationErrors(validate.errors ?? []))
  return draft as Draft
}

function parseJson(text: string): unknown {
  limitJson(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalid({ draft: ['`draft` is not valid JSON.'] })
  }
}

/** Passes on errors that are not about the draft. */
function renderErrors(error: unknown): string {
  if (!(error instanceof Problem) || error.errors === undefined) throw error
  const { errors } = limitFieldErrors(error.errors, error.message)
  const itemsHtml = Object.values(errors)
    .flat()
    .map((message) => `<li>${escapeHtml(message).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</li>`)
    .join('')
  return renderNoticePage({ page: undefined, title: 'No preview yet', bodyHtml: `<ul>${itemsHtml}</ul>` })
}
