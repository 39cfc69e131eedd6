/** Sends a page of the web application. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasUsers } from '../accounts/store.ts'
import { renderHtml, sendHtml, sendProblemPage } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { urlPrefixOf } from '../http/url-prefix.ts'
import { isInstalledPackage } from '../lib/package-folder.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { formatCommand } from '../lib/program.ts'
import type { SessionCaller } from '../storage/caller.ts'
import { listTeamChoices, type TeamChoiceRow } from '../teams/store.ts'
import { findCurrentTeam } from '../teams/teams.ts'
import type { WebApplication } from './application.ts'
import type { Boot, BootTeam, BootWebsite } from './schema.ts'

const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    // The editor of status pages shows the preview in a frame.
    "frame-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
}

const buildingPage = renderHtml(
  'Belfry',
  '<h1>Building the web pages…</h1><p>This takes a few seconds. The page reloads automatically.</p>',
)
const notBuiltPage = renderHtml(
  'Belfry',
  isInstalledPackage
    ? '<h1>The web pages are missing</h1><p>This installation of Belfry is incomplete. Install Belfry again on the server, then reload this page. The API works without the pages.</p>'
    : "<h1>The web pages couldn't be built</h1><p>On the server, run <code>npm run build</code> in Belfry's folder, then reload this page. The server's log shows the error. The API works without the pages.</p>",
)
const notSetUpPage = renderHtml(
  'Belfry',
  '<h1>Belfry is running</h1><p>There is no account yet. Open the setup link that the server printed when it started.</p>',
)

interface PageOptions {
  status?: number
  title?: string
  /** Whether search engines can index the page. */
  isIndexed?: boolean
  /** The website whose page this is, or null if it is private or doesn't exist. Undefined on other pages. */
  website?: BootWebsite | null
}

export type ShellSender = (request: FastifyRequest, reply: FastifyReply, options?: PageOptions) => Promise<FastifyReply>

export function createShellSender({ config, db, version, web }: RouteDeps & { web: WebApplication }): ShellSender {
  const describeServer = () => ({
    transports: { email: config.mail !== undefined, sms: config.sms !== undefined },
    private_targets: config.privateTargets.allowsAll || config.privateTargets.ranges.length > 0,
    time_zone: config.timeZone,
  })
  const toBaseHref = (request: FastifyRequest) =>
    config.url === undefined ? toRelativeRoot(request.url) : `${urlPrefixOf(config)}/`

  /** Returns undefined if the session has ended, for example on another node. */
  async function findVisitor(request: FastifyRequest): Promise<Visitor | undefined> {
    const { caller } = request
    if (caller?.kind !== 'session') return undefined
    try {
      const teams = await listTeamChoices(db.as(caller), caller.sessionId)
      const teamId = findCurrentTeam(teams, caller)
      if (teamId !== caller.teamId) request.server.forgetCaller(request)
      return { caller, teams: toBootTeams(teams, teamId, caller) }
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthenticated') return undefined
      throw error
    }
  }

  let isSetUp = false
  async function needsSetup(): Promise<boolean> {
    isSetUp ||= await hasUsers(db)
    return !isSetUp
  }

  return async (request, reply, { status = 200, title = 'Belfry', isIndexed = false, website } = {}) => {
    const visitor = await findVisitor(request)
    const user = visitor?.caller
    if (user === undefined && status === 200 && (await needsSetup())) return sendHtml(reply, notSetUpPage)
    const shell = await web.findShell()
    if (shell === undefined && status === 404) return sendProblemPage(notFound(), request, reply)
    if (shell === undefined && web.isBeingBuilt) {
      return sendHtml(reply.code(503).headers({ 'retry-after': '3', refresh: '3' }), buildingPage)
    }
    if (shell === undefined) return sendHtml(reply.code(503).header('retry-after', '60'), notBuiltPage)
    const boot: Boot = {
      version,
      password_command: formatCommand('user password you@example.com'),
      base_url: config.url ?? null,
      favicons: config.hasFavicons,
      user: user === undefined ? null : { id: user.userId, email: user.email, is_admin: user.isAdmin },
      ...(visitor?.teams && { teams: visitor.teams }),
      server: user === undefined ? null : describeServer(),
      ...(website !== undefined && { website }),
    }
    return reply
      .code(status)
      .headers(pageHeaders)
      .type('text/html; charset=utf-8')
      .send(shell.fill({ base: toBaseHref(request), title, isIndexed, boot }))
  }
}

interface Visitor {
  caller: SessionCaller
  teams: BootTeam[] | undefined
}

function toBootTeams(rows: readonly TeamChoiceRow[], teamId: number, { userId }: SessionCaller) {
  const [first] = rows
  const isAlone = rows.length === 1 && first?.id === userId && first.role === 'owner' && !first.needs_second_factor
  return isAlone ? undefined : rows.map((row): BootTeam => ({ ...row, is_current: row.id === teamId }))
}

/** The relative path to the root: `./`, `../`, `../../`. It works even if a proxy removes a path prefix. */
function toRelativeRoot(url: string): string {
  const path = url.startsWith('/') ? url.split(/[?#]/, 1)[0] : URL.parse(url)?.pathname
  const depth = (path ?? '/').split('/').length - 2
  return depth <= 0 ? './' : '../'.repeat(depth)
}
