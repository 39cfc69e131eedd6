/** The page of the first account, which works before anything else does. */
import { Type } from 'typebox'
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { foreign } from '../http/authentication.ts'
import { setSessionCookie } from '../http/cookies.ts'
import { isForeign } from '../http/origin.ts'
import { document, sendPage } from '../http/page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { describeValidationErrors } from '../http/validation-messages.ts'
import { escapeHtml } from '../lib/text.ts'
import { Problem } from '../lib/problem.ts'
import { isSameSecret } from '../lib/token.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'
import { claimWithLink, findSetupToken } from './first-start.ts'
import { SetUp } from './schema.ts'
import { startSession } from './sign-in.ts'

const closed = document('Belfry', '<h1>This server is set up</h1><p>The link has been used. <a href="./">Go on</a></p>')
const wrong = document(
  'Belfry',
  '<h1>This link is not valid</h1><p>The server prints the right one when it starts. Copy it whole.</p>',
)

function setupForm(token: string, email = '', problem = ''): string {
  return document(
    'Set up Belfry',
    `<h1>Welcome to Belfry</h1><p>Make the first account. It will be the administrator’s.</p>
${problem && `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post" action="setup">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${escapeHtml(email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}" required aria-describedby="length">
<small id="length">At least ${MIN_PASSWORD_LENGTH} characters.</small>
<button>Create the account</button>
</form>`,
  )
}

/** Looser than the API's, so that a mistake brings the form back with a sentence, not an answer for programs. */
const SetupForm = Type.Object({
  token: Type.String({ maxLength: 200 }),
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 1_000 }),
})

export function pageRoutes(app: App, services: RouteDeps): void {
  const { clock, config, db, secret } = services
  const hidden = { config: { access: anyone }, schema: { hide: true } }

  app.get(
    '/setup',
    { ...hidden, schema: { hide: true, querystring: Type.Object({ token: Type.Optional(Type.String()) }) } },
    async (request, reply) => {
      const expected = await findSetupToken(db, secret)
      if (expected === undefined) return sendPage(reply.code(410), closed)
      const { token = '' } = request.query
      if (!isSameSecret(token, expected)) return sendPage(reply.code(403), wrong)
      return sendPage(reply, setupForm(token))
    },
  )

  app.post('/setup', { ...hidden, schema: { hide: true, body: SetupForm } }, async (request, reply) => {
    if (isForeign(config, request)) throw foreign()
    const { token, email, password } = request.body
    const isValid = request.compileValidationSchema(SetUp, 'body')
    if (!isValid(request.body)) {
      const [problem = ''] = Object.values(describeValidationErrors(isValid.errors ?? [])).flat()
      return sendPage(reply.code(422), setupForm(token, email, problem))
    }
    try {
      const user = await claimWithLink(db, services, { token, email, password })
      setSessionCookie(config, request, reply, await startSession(db, user.id, clock))
      return reply.redirect('./', 303)
    } catch (error) {
      if (error instanceof Problem && error.code === 'conflict') return sendPage(reply.code(410), closed)
      if (error instanceof Problem && error.code === 'forbidden') return sendPage(reply.code(403), wrong)
      throw error
    }
  })
}
