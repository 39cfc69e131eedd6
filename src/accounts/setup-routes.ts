/** The page for creating the first admin. It works without the web application's files. */
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { crossSiteProblem } from '../http/authentication.ts'
import { describeClient } from '../http/client.ts'
import { setNewSessionCookie } from '../http/cookies.ts'
import { renderHtml, sendHtml } from '../http/html-page.ts'
import { isCrossSite } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { describeValidationErrors } from '../http/validation-messages.ts'
import { renderPasswordField } from '../lib/password-field.ts'
import { Problem } from '../lib/problem.ts'
import { escapeHtml } from '../lib/text.ts'
import { isSameSecret } from '../lib/token.ts'
import { Type } from '../lib/type.ts'
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'
import { SetupRequest } from './schema.ts'
import { createAdminWithToken, findSetupToken } from './setup.ts'
import { startSession } from './sign-in.ts'

const alreadyUsedPage = renderHtml(
  'Belfry',
  '<h1>Belfry is already set up</h1><p>This link has been used. <a href="./">Sign in</a></p>',
)
const invalidLinkPage = renderHtml(
  'Belfry',
  '<h1>Invalid link</h1><p>Copy the complete link that the server prints when it starts.</p>',
)

function renderForm(token: string, email = '', error = ''): string {
  return renderHtml(
    'Set up Belfry',
    `<h1>Welcome to Belfry</h1><p>Create your admin account.</p>
${error && `<p role="alert">${escapeHtml(error)}</p>`}
<form method="post" action="setup">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${escapeHtml(email)}">
<label for="password">Password</label>
${renderPasswordField(`<input id="password" name="password" type="password" autocomplete="new-password" autocapitalize="none" spellcheck="false" minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}" required aria-describedby="length">`)}
<small id="length">At least ${MIN_PASSWORD_LENGTH} characters.</small>
<button>Create account</button>
</form>`,
  )
}

/** "`password` must…" becomes "Password must…": people see labels, not field names. */
function withFieldLabel(message: string): string {
  return message.replace(/^`(.)(.*?)`/, (_, first: string, rest: string) => first.toUpperCase() + rest)
}

/**
 * This schema is more lenient than the API's, so that an invalid email or password shows the form again with a message
 * instead of a problem response.
 */
const SetupForm = Type.Object({
  token: Type.String({ maxLength: 200 }),
  email: Type.String({ maxLength: MAX_EMAIL_LENGTH }),
  password: Type.String({ maxLength: 1_000 }),
})

export function setupPageRoutes(app: App, deps: RouteDeps): void {
  const { clock, config, db, secret } = deps
  const undocumentedRoute = { config: { access: anyone }, schema: { hide: true } }

  app.get(
    '/setup',
    { ...undocumentedRoute, schema: { hide: true, querystring: Type.Object({ token: Type.Optional(Type.String()) }) } },
    async (request, reply) => {
      const expectedToken = await findSetupToken(db, secret)
      if (expectedToken === undefined) return sendHtml(reply.code(410), alreadyUsedPage)
      const { token = '' } = request.query
      if (!isSameSecret(token, expectedToken)) return sendHtml(reply.code(403), invalidLinkPage)
      return sendHtml(reply, renderForm(token))
    },
  )

  app.post('/setup', { ...undocumentedRoute, schema: { hide: true, body: SetupForm } }, async (request, reply) => {
    if (isCrossSite(config, request)) throw crossSiteProblem()
    const { token, email, password } = request.body
    const validate = request.compileValidationSchema(SetupRequest, 'body')
    if (!validate(request.body)) {
      const [message = ''] = Object.values(describeValidationErrors(validate.errors ?? [])).flat()
      return sendHtml(reply.code(422), renderForm(token, email, withFieldLabel(message)))
    }
    try {
      const user = await createAdminWithToken(db, deps, { token, email, password })
      setNewSessionCookie(config, request, reply, await startSession(db, user.id, clock, describeClient(request)))
      return reply.redirect('./', 303)
    } catch (error) {
      if (error instanceof Problem && error.code === 'conflict') return sendHtml(reply.code(410), alreadyUsedPage)
      if (error instanceof Problem && error.code === 'forbidden') return sendHtml(reply.code(403), invalidLinkPage)
      throw error
    }
  })
}
