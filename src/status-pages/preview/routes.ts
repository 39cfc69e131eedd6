/** Shows a page that is being edited exactly as visitors would see it: as it is saved, or with unsaved changes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionOnly } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { sessionOf } from '../../http/authentication.ts'
import { coerce } from '../../http/coerce.ts'
import { limitFieldErrors } from '../../http/field-errors.ts'
import { limitJson } from '../../http/input-limits.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { urlPrefixOf } from '../../http/url-prefix.ts'
import { describeValidationErrors } from '../../http/validation-messages.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { idParams, resourceId } from '../../lib/schemas.ts'
import { escapeHtml } from '../../lib/text.ts'
import { Type } from '../../lib/type.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { findOwnHost } from '../domains/parse-custom-domain.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderStatusPage } from '../render/html-page.ts'
import { prepareMarkdown } from '../render/markdown.ts'
import { renderNoticePage } from '../render/notice-page.ts'
import { CreateStatusPage } from '../schema.ts'
import type { StatusPageCopies } from '../serve/copies.ts'
import { refuseIfBudgetIsSpent } from '../serve/render-format.ts'
import { createStatusPageSettings } from '../settings.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { getStatusPage } from '../status-pages.ts'
import { canSubscribe } from '../subscribers/links.ts'
import { toStatusPagePaths } from '../urls.ts'
import { loadDraftSnapshot } from './draft-snapshot.ts'

const Draft = Type.Object(
  { ...CreateStatusPage.properties, id: Type.Optional(resourceId) },
  { additionalProperties: false },
)
type Draft = CreateStatusPage & { id?: number }

const PreviewRequest = Type.Object(
  {
    draft: Type.String({
      description:
        'JSON with the fields of `createStatusPage`. With the `id` of an existing page, the preview has its logo and posts',
      examples: ['{"slug": "example", "title": "Example status"}'],
    }),
  },
  { additionalProperties: false },
)

const exampleHtml = '<!doctype html><title>Example status</title>'
const htmlResponse = {
  description: 'The page',
  content: { 'text/html': { schema: Type.String({ examples: [exampleHtml] }) } },
}

interface PreviewDeps extends RouteDeps {
  statusPageCopies: Pick<StatusPageCopies, 'renderBudget' | 'find' | 'loadPrivate'>
}

export function statusPagePreviewRoutes(app: App, { clock, config, db, statusPageCopies }: PreviewDeps): void {
  const { renderBudget } = statusPageCopies
  const findFontBase = () => `${urlPrefixOf(config)}/status/`

  async function renderPreview(request: FastifyRequest, draft: string) {
    const caller = sessionOf(request)
    refuseIfBudgetIsSpent(renderBudget, caller.teamId, 'The preview')
    const { id = null, ...input } = parseDraft(request, draft)
    const { settings, groups = [] } = createStatusPageSettings(input, {
      defaultTimeZone: config.timeZone,
      ownHost: findOwnHost(config),
      // The server looks for websites of other users with this domain when the page is saved. The preview doesn't show
      // the domain.
      foreignDomains: [],
      // A draft doesn't contain a password that is already stored, and the page looks the same with and without a
      // password.
      hasPassword: true,
    })
    const { snapshot, storedSlug } = await loadDraftSnapshot(
      db.as(caller),
      { teamId: caller.teamId, pageId: id, settings, groups },
      { now: clock.now(), canSubscribe: canSubscribe(config) },
    )
    return renderSnapshot(snapshot, storedSlug ?? settings.slug)
  }

  async function renderSnapshot(snapshot: StatusPageSnapshot, slug: string) {
    const spend = <T>(render: () => T) => renderBudget.spend(snapshot.access.teamId, render)
    await prepareMarkdown(snapshot.posts, spend)
    const html = spend(() =>
      renderStatusPage(snapshot, { paths: toStatusPagePaths(slug, urlPrefixOf(config)), isPreview: true }),
    )
    return { html, accentColor: snapshot.page.accentColor }
  }

  function sendPreview(reply: FastifyReply, { html, accentColor }: { html: string; accentColor: string | null }) {
    const headers = statusPageHeaders({ accentColor }, { fontBase: findFontBase(), isPreview: true })
    return reply.headers({ ...headers, 'cache-control': 'no-store' }).send(html as never)
  }

  app.get(
    '/api/status-pages/:id/preview',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Status pages'],
        operationId: 'previewSavedStatusPage',
        summary: 'Preview a saved status page',
        description:
          'Responds with the page as visitors see it, for a frame of the editor. Scripts and forms are disabled.',
        params: idParams,
        response: { 200: htmlResponse },
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      refuseIfBudgetIsSpent(renderBudget, caller.teamId, 'The preview')
      const { slug, privacy } = await getStatusPage(db.as(caller), request.params.id)
      const key = { teamId: caller.teamId, pageId: request.params.id }
      // Visitors get the same copy, so the editor shows it without reading the history of all monitors.
      const foundCopy = await (privacy === PRIVACY.private
        ? statusPageCopies.loadPrivate(key)
        : statusPageCopies.find(slug))
      if (foundCopy === undefined) throw notFound()
      return sendPreview(reply, await renderSnapshot(foundCopy.copy.snapshot, slug))
    },
  )

  app.post(
    '/api/status-pages/preview',
    {
      config: { access: sessionOnly, right: 'read' },
      schema: {
        tags: ['Status pages'],
        operationId: 'previewStatusPage',
        summary: 'Preview a status page that is not saved yet',
        description:
          'The editor posts a form into a frame. Responds with the page as visitors would see it, and stores nothing. If a draft that was sent as a form is not valid, the page says why.',
        body: PreviewRequest,
        response: {
          200: htmlResponse,
        },
      },
    },
    async (request, reply) => {
      const preview = await renderPreview(request, request.body.draft).catch((error) => {
        if (!isForm(request)) throw error
        return { html: renderErrors(error, findFontBase()), accentColor: null }
      })
      return sendPreview(reply, preview)
    },
  )
}

/**
 * Whether the editor sent the draft. The editor sends a form and shows the response in a frame, so the response to an
 * invalid draft has to be an HTML page.
 */
const isForm = ({ headers }: FastifyRequest) => headers['content-type']?.startsWith('application/x-www-form') === true

function parseDraft(request: FastifyRequest, text: string): Draft {
  const draft = coerce(Draft as object, parseJson(text), false)
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

/**
 * Returns a page that says why there is no preview: the draft is not valid, or previews are temporarily unavailable.
 * Rethrows all other errors.
 */
function renderErrors(error: unknown, fontBase: string): string {
  if (!(error instanceof Problem)) throw error
  const fieldErrors = error.code === 'unavailable' ? { draft: [error.message] } : error.errors
  if (fieldErrors === undefined) throw error
  const { errors } = limitFieldErrors(fieldErrors, error.message)
  const itemsHtml = Object.values(errors)
    .flat()
    .map((message) => `<li>${escapeHtml(message).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</li>`)
    .join('')
  return renderNoticePage({ page: undefined, fontBase, title: 'No preview yet', bodyHtml: `<ul>${itemsHtml}</ul>` })
}
