/**
 * Who can connect to the embedded PostgreSQL. To connect as another user than root, the tests start a process that runs
 * as that user.
 */
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  changeOwnerOfAll,
  createTestFolder,
  killProcess,
  queryEmbedded,
  runsAsRoot,
  startForTest,
  startOwner,
  useSharedDataDir,
} from '../../../tests/support/embedded.ts'
import { writeConnectionRules } from './connection-rules.ts'
import type { UserIds } from './identity.ts'
import { layoutOf } from './layout.ts'
import { findNobody } from './passwd.ts'
import { run } from './run.ts'

const sharedDataDir = useSharedDataDir()
const script = fileURLToPath(new URL('../../../tests/support/connect-as.ts', import.meta.url))
const nobody = findNobody() ?? { uid: 65534, gid: 65534 }
/** No entry of /etc/passwd has this id. */
const nameless = { uid: 4_000_000, gid: 4_000_000 }

async function connectAs(user: UserIds, dataDir: string): Promise<{ acceptedRoles: string[]; refusals: string[] }> {
  const { socketFolder } = layoutOf(dataDir)
  const roles = ['postgres', 'belfry', 'belfry_request', 'nobody', 'root']
  const { stdout, stderr } = await run([process.execPath, script, socketFolder, ...roles], {
    identity: { kind: 'user', ...user },
  })
  if (stdout === '') throw new Error(`the process of user ${user.uid} failed: ${stderr}`)
  return JSON.parse(stdout)
}

/** Whether PostgreSQL runs as `nobody`. Otherwise no process of that user can try to connect. */
const runsAsNobody = (dataDir: string) => statSync(layoutOf(dataDir).cluster).uid === nobody.uid

describe.skipIf(!runsAsRoot)('if root runs Belfry', () => {
  it("other processes of PostgreSQL's user can't connect, as any role", async (context) => {
    const dataDir = sharedDataDir()
    if (!runsAsNobody(dataDir)) context.skip('PostgreSQL runs in a user namespace here')
    await startForTest(dataDir)
    const { acceptedRoles, refusals } = await connectAs(nobody, dataDir)
    expect(acceptedRoles).toEqual([])
    expect(refusals[0]).toBe('Peer authentication failed for user "postgres"')
    expect(await queryEmbedded(dataDir, 'select user::text')).toEqual([{ user: 'belfry' }])
    expect(await queryEmbedded(dataDir, 'select user::text', 'postgres')).toEqual([{ user: 'postgres' }])
  })

  it('the next start no longer trusts every user in a folder of an earlier version', async (context) => {
    const dataDir = sharedDataDir()
    if (!runsAsNobody(dataDir)) context.skip('PostgreSQL runs in a user namespace here')
    const { cluster, hbaFile, identFile } = layoutOf(dataDir)
    writeFileSync(join(cluster, 'pg_hba.conf'), 'local all all trust\n')
    for (const path of [hbaFile, identFile]) rmSync(path, { force: true })
    await startForTest(dataDir)
    expect((await connectAs(nobody, dataDir)).acceptedRoles).toEqual([])
    expect(await queryEmbedded(dataDir, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it.each([
    ['with a name', nobody],
    ['without a name', nameless],
  ])('an unprivileged user %s can take the folder over, and root can still connect', async (_case, user) => {
    const dataDir = sharedDataDir()
    changeOwnerOfAll(dataDir, user)
    const owner = await startOwner(dataDir, {}, user)
    expect((await connectAs(user, dataDir)).acceptedRoles).toEqual(['postgres', 'belfry'])
    expect(await queryEmbedded(dataDir, 'select user::text')).toEqual([{ user: 'belfry' }])
    const stranger = await connectAs({ uid: 4_000_001, gid: 4_000_001 }, dataDir)
    expect(stranger.acceptedRoles).toEqual([])
    await killProcess(owner)
  })
})

describe('the files with the connection rules', () => {
  it('are readable for PostgreSQL, replaced as a whole, and not written again if their text is right', () => {
    const layout = layoutOf(createTestFolder())
    writeFileSync(layout.hbaFile, 'local all all trust\n', { mode: 0o600 })
    // An earlier start was killed while it wrote the file.
    writeFileSync(`${layout.hbaFile}.new`, 'local all')
    writeConnectionRules(layout, { kind: 'self' })
    expect(statSync(layout.hbaFile).mode & 0o777).toBe(0o644)
    expect(existsSync(`${layout.hbaFile}.new`)).toBe(false)
    const { ino } = statSync(layout.hbaFile)
    chmodSync(layout.hbaFile, 0o600)
    writeConnectionRules(layout, { kind: 'self' })
    expect([statSync(layout.hbaFile).ino, statSync(layout.hbaFile).mode & 0o777]).toEqual([ino, 0o644])
  })
})
