/** A session and a key of each kind of member of the owner's team. */
import { startSession } from '../../../src/accounts/sign-in.ts'
import { scopes as allScopes } from '../../../src/shared/scopes.ts'
import type { TestServer, TestUser } from '../server.ts'
import { methodsOf, urlOf } from './expectation.ts'
import type { Membership } from './membership.ts'
import type { MatrixCaller } from './requests.ts'
import type { Things } from './table.ts'
import { addMember } from './things.ts'

const sessionKinds: [string, Omit<Membership, 'isKey'>][] = [
  ['admin of the team', { role: 'admin' }],
  ['editor', { role: 'editor' }],
  ['viewer', { role: 'viewer' }],
  ['guest of a website', { role: 'guest', shared: 'website' }],
  ['guest who edits a website', { role: 'guest', shared: 'website', canEdit: true }],
  ['guest of a status page', { role: 'guest', shared: 'status page' }],
  ['guest who edits a status page', { role: 'guest', shared: 'status page', canEdit: true }],
]

export const memberNames = sessionKinds.map(([name]) => name)

/** The kind of the member's key. */
export const keyKindOf = (name: string) => `key of the ${name}`

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
    toCaller(keyKindOf(name), true, async () => ({ authorization: `Bearer ${created.body.data.key}` })),
  ]
}
