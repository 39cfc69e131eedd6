/** Paths of the web application. They all return the same HTML document, whose script shows the page for the path. */
import { pageVisitor } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sendProblemPage } from '../http/html-page.ts'
import type { ShellSender } from './send-shell.ts'

const idParam = ':id(^\\d+$)'

export const applicationPaths = [
  '/',
  '/sign-in',
  '/account',
  '/monitors',
  '/monitors/new',
  `/monitors/${idParam}`,
  `/monitors/${idParam}/edit`,
  '/websites/new',
  '/providers',
  '/providers/new',
  `/providers/${idParam}`,
  '/keys',
  '/users',
]

export function webPageRoutes(app: App, sendShell: ShellSender): void {
  for (const path of applicationPaths) {
    app.get(
      path,
      { config: { access: pageVisitor }, schema: { hide: true }, errorHandler: sendProblemPage },
      (request, reply) => sendShell(request, reply),
    )
  }
}
