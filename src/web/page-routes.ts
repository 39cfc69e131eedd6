/** The pages of the application: one document, which finds out by its address what to show. */
import { reader } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sendProblemPage } from '../http/problem-page.ts'
import type { ShellSender } from './send-shell.ts'

const id = ':id(^\\d+$)'

const paths = [
  '/',
  '/sign-in',
  '/account',
  '/monitors',
  '/monitors/new',
  `/monitors/${id}`,
  `/monitors/${id}/edit`,
  '/websites/new',
  '/providers',
  '/providers/new',
  `/providers/${id}`,
  '/keys',
  '/users',
]

export function webPageRoutes(app: App, sendShell: ShellSender): void {
  for (const path of paths) {
    app.get(
      path,
      { config: { access: reader() }, schema: { hide: true }, errorHandler: sendProblemPage },
      (request, reply) => sendShell(request, reply),
    )
  }
}
