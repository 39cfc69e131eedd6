/** Answers with a page of the web application, whatever its status. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasUsers } from '../accounts/store.ts'
import { document, sendPage } from '../http/page.ts'
import { prefixOf } from '../http/prefix.ts'
import { sendProblemPage } from '../http/problem-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound, Problem } from '../lib/problem.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { WebApplication } from './application.ts'
import type { Boot, BootWebsite } from './schema.ts'

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
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

const beingBuilt = document(
  'Belfry',
  '<h1>The pages are being built</h1><p>It takes a few seconds, and then they appear by themselves.</p>',
)
const notBuilt = document(
  'Belfry',
  '<h1>The pages are not built</h1><p>On the server, run <code>npm run build</code> in the folder of Belfry and load this page again; the log says why it did not work by itself. The API works without.</p>',
)
const unclaimed = document(
  'Belfry',
  '<h1>Belfry is running</h1><p>It has no account yet. Open the link that it printed when it started, and make the first one.</p>',
)

interface Shown {
  status?: number
  title?: string
  isListed?: boolean
  /** On the pages of a website alone. */
  website?: BootWebsite | null
}

export type ShellSender = (request: FastifyRequest, reply: FastifyReply, shown?: Shown) => Promise<FastifyReply>

export function shellSender({ config, db, version, web }: RouteDeps & { web: WebApplication }): ShellSender {
  const server = {
    transports: { email: config.mail !== undefined, telegram: true, slack: true, sms: config.sms !== undefined },
    private_targets: config.privateTargets.all || config.privateTargets.ranges.length > 0,
    time_zone: config.timeZone,
  }
  const base = (request: FastifyRequest) => (config.url === undefined ? wayUp(request.url) : `${prefixOf(config)}/`)

  /** Asks the database: a session that has ended elsewhere is nobody's. */
  async function findUser({ caller }: FastifyRequest): Promise<SessionCaller | undefined> {
    if (caller?.kind !== 'session') return undefined
    try {
      await db.as(caller).batch()
      return caller
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthenticated') return undefined
      throw error
    }
  }

  let isClaimed = false
  async function isNobodys(): Promise<boolean> {
    isClaimed ||= await hasUsers(db)
    return !isClaimed
  }

  return async (request, reply, { status = 200, title = 'Belfry', isListed = false, website } = {}) => {
    const user = await findUser(request)
    if (user === undefined && status === 200 && (await isNobodys())) return sendPage(reply, unclaimed)
    const shell = await web.findShell()
    if (shell === undefined && status === 404) return sendProblemPage(notFound(), request, reply)
    if (shell === undefined && web.isBeingBuilt) {
      return sendPage(reply.code(503).headers({ 'retry-after': '3', refresh: '3' }), beingBuilt)
    }
    if (shell === undefined) return sendPage(reply.code(503).header('retry-after', '60'), notBuilt)
    const boot: Boot = {
      version,
      base_url: config.url ?? null,
      user: user === undefined ? null : { id: user.userId, email: user.email, is_admin: user.isAdmin },
      server: user === undefined ? null : server,
      ...(website !== undefined && { website }),
    }
    return reply
      .code(status)
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(shell.fill({ base: base(request), title, isListed, boot }))
  }
}

/** From the folder of a path to the top, whatever a proxy has taken off before it: `./`, `../`, `../../`. */
function wayUp(url: string): string {
  const path = url.startsWith('/') ? url.split(/[?#]/, 1)[0] : URL.parse(url)?.pathname
  const depth = (path ?? '/').split('/').length - 2
  return depth <= 0 ? './' : '../'.repeat(depth)
}
