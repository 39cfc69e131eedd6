/** The members of the owner's team in the authorization table: what each role may do, and what guests see. */
import { startSession } from '../../../src/accounts/sign-in.ts'
import { scopes as allScopes } from '../../../src/shared/scopes.ts'
import type { TestServer, TestUser } from '../server.ts'
import { type Expectation, type MatrixCaller, methodsOf, urlOf } from './requests.ts'
import type { RouteRow, Things } from './table.ts'
import { addMember } from './things.ts'

type Role = 'admin' | 'editor' | 'viewer' | 'guest'
type Shared = 'website' | 'status page'

/** What a caller is in the owner's team. */
export interface Membership {
  role: Role
  /** What was shared with a guest: the owner's private website, or the status page. */
  shared?: Shared
  canEdit?: boolean
  isKey: boolean
}

/** What a request needs. Compare `src/shared/roles.ts`. */
type Need = 'account' | 'read' | 'edit shared' | 'edit' | 'manage' | 'own'

/** The first line that matches counts. Other requests need `read` if their method is GET, and otherwise `edit`. */
const needs: [RegExp, Need][] = [
  [/^PATCH \/api\/account$/, 'edit'],
  [/^\w+ \/api\/(account|sessions?|invitations)\b/, 'account'],
  [/^(GET|POST) \/api\/teams$|^GET \/api\/teams\/:id$/, 'account'],
  [/^DELETE \/api\/teams\/:id$/, 'own'],
  [/^GET \/api\/teams\/:id\/members$/, 'read'],
  [/^POST .*\/move$/, 'manage'],
  [/ \/api\/teams\/|^GET \/api\/audit/, 'manage'],
  [/^POST \/api\/(v1\/websites\/:id\/silence\/replay|status-pages\/preview)$|^(POST|DELETE) \/api\/keys/, 'read'],
  [/^(PUT|PATCH) \/api\/(v1\/websites|status-pages)\/:id$/, 'edit shared'],
  [/^POST \/api\/v1\/websites\/:id\/verify$/, 'edit shared'],
  [/^(PUT|POST|PATCH|DELETE) \/api\/status-pages\/:id\/(posts|logo|check-domain)/, 'edit shared'],
  [/^(GET|HEAD) /, 'read'],
]

const findNeed = (row: RouteRow, method: string): Need => {
  const route = `${method} ${urlOf(row)}`
  return needs.find(([pattern]) => pattern.test(route))?.[1] ?? 'edit'
}

const memberNeeds: Need[] = ['account', 'read']
const needsByRole: Record<Role, Need[]> = {
  admin: [...memberNeeds, 'edit shared', 'edit', 'manage'],
  editor: [...memberNeeds, 'edit shared', 'edit'],
  viewer: memberNeeds,
  guest: memberNeeds,
}

const isAllowed = ({ role, canEdit }: Membership, need: Need) =>
  needsByRole[role].includes(need) || (canEdit === true && need === 'edit shared')

/** Whether the response may show what belongs to the team, although the caller is a guest. */
function isShared({ shared }: Membership, row: RouteRow): boolean {
  const url = urlOf(row)
  // The name of the team, and the own account.
  if (/^\/api\/(teams(\/:id)?|session|account)$/.test(url)) return true
  if (shared === 'website') {
    const isAboutWebsite = /^\/api\/v1\/(websites|stats)\/:id|^\/:domain/.test(url) && !/public$|locked$/.test(row.rule)
    return (
      isAboutWebsite ||
      ['/api/v1/websites', '/api/overview'].includes(url) ||
      String(row.query).includes('websiteIds.private')
    )
  }
  // The pages that have rules such as `status private` are other ones.
  return (
    /^\/api\/status-pages(\/:id|$)/.test(url) && !url.includes('/subscribers') && url !== '/api/status-pages/preview'
  )
}

/** Rules of requests that everybody may send, or that have nothing to do with a team. */
const isAboutTeam = ({ rule }: RouteRow) => !['anyone', 'form', 'page', 'admin', 'metrics'].includes(rule)

const notFound: Expectation = { status: 404, code: 'not_found', missingScopes: [], isAllowed: false }
const forbidden: Expectation = { status: 403, code: 'forbidden', missingScopes: [], isAllowed: false }

/** `expectFor` says what the owner and a stranger would get. */
export function expectMember(
  membership: Membership,
  row: RouteRow,
  method: string,
  expectFor: (kind: string) => Expectation,
): Expectation {
  const ownersExpectation = expectFor(membership.isKey ? "owner's key" : 'owner')
  if (!ownersExpectation.isAllowed || !isAboutTeam(row)) return ownersExpectation
  const isAboutStatistics = /public$|private$|locked$/.test(row.rule)
  if (!isAboutStatistics && !isAllowed(membership, findNeed(row, method))) return forbidden
  // A key is the business of its user, and of those who manage the team.
  if (urlOf(row).startsWith('/api/keys/:id') && membership.role !== 'admin') return notFound
  if (membership.role !== 'guest' || isShared(membership, row)) return ownersExpectation
  // The list of a status page's subscribers is empty for guests.
  if (membership.shared === 'status page' && row.route === 'GET /api/status-pages/:id/subscribers')
    return ownersExpectation
  return expectFor(membership.isKey ? "stranger's key" : 'stranger')
}

/** Whether the caller may see what the request is about. */
export function sees(membership: Membership, row: RouteRow): boolean {
  return membership.role !== 'guest' || isShared(membership, row)
}

const sessionKinds: [string, Omit<Membership, 'isKey'>][] = [
  ['admin of the team', { role: 'admin' }],
  ['editor', { role: 'editor' }],
  ['viewer', { role: 'viewer' }],
  ['guest of a website', { role: 'guest', shared: 'website' }],
  ['guest who edits a website', { role: 'guest', shared: 'website', canEdit: true }],
  ['guest of a status page', { role: 'guest', shared: 'status page' }],
  ['guest who edits a status page', { role: 'guest', shared: 'status page', canEdit: true }],
]

/** A session and a key of each kind of member. */
export async function createMembers(server: TestServer, owner: TestUser, things: Things): Promise<MatrixCaller[]> {
  const members = await Promise.all(sessionKinds.map((kind) => createMember(server, owner, things, kind)))
  return members.flat()
}

async function createMember(
  server: TestServer,
  owner: TestUser,
  things: Things,
  [name, membership]: (typeof sessionKinds)[number],
): Promise<MatrixCaller[]> {
  const { db } = server.services
  const user = await server.createUser(name.replaceAll(' ', '-'))
  await addMember(server, owner, user.id, membership.role)
  await db.query('update team_members set guest_can_edit = $2 where team_id = $3 and user_id = $1', [
    user.id,
    membership.canEdit === true,
    owner.id,
  ])
  if (membership.shared === 'website') {
    await db.query('insert into guest_websites values ($1, $2, $3)', [owner.id, user.id, things.websiteIds.private])
  }
  if (membership.shared === 'status page') {
    await db.query('insert into guest_status_pages values ($1, $2, $3)', [owner.id, user.id, things.statusPageId])
  }
  await user.session.put('/api/session', { team_id: owner.id })
  const created = await user.session.post('/api/keys', { name: 'table', scopes: allScopes })
  const cookie = `belfry_session=${user.session.credentials.cookie}`
  const toCaller = (kind: string, isKey: boolean, headersFor: MatrixCaller['headersFor']): MatrixCaller => ({
    name: kind,
    kind,
    scopes: isKey ? allScopes : [],
    membership: { ...membership, isKey },
    headersFor,
  })
  return [
    toCaller(name, false, async (row) => {
      if (!methodsOf(row).includes('DELETE') || urlOf(row) !== '/api/session') return { cookie }
      return { cookie: `belfry_session=${await startSession(db, user.id, server.clock)}` }
    }),
    toCaller(`key of the ${name}`, true, async () => ({ authorization: `Bearer ${created.body.data.key}` })),
  ]
}
