/** What `service` does without systemd. tests/install/service.test.ts runs it with a real systemd. */
import { describe, expect, it } from 'vitest'
import { packageFolder } from '../../src/lib/package-folder.ts'
import { isSystemdRunning } from '../../src/service/admin-command.ts'
import { UNIT_ORIGIN } from '../../src/service/layout.ts'
import { locateProgram } from '../../src/service/program-location.ts'
import { renderUnit } from '../../src/service/unit.ts'
import { belfry } from './support.ts'

const env = { BELFRY_DATA: '/nowhere' }

describe('service install', () => {
  it('prints the unit without changing anything', async () => {
    const { code, stdout } = await belfry('service install --print --data /srv/belfry', { env })
    const location = locateProgram(process.execPath, packageFolder)
    expect(stdout).toBe(await renderUnit(packageFolder, { origin: UNIT_ORIGIN, dataDir: '/srv/belfry', ...location }))
    expect(code).toBe(0)
  })

  it('rejects a port that does not exist', async () => {
    const { code, stderr } = await belfry('service install --print --port 70000', { env })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('between 1 and 65535') })
  })

  it.skipIf(isSystemdRunning())('needs root and systemd', async () => {
    const { code, stdout, stderr } = await belfry('service install', { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^(Only root can change|systemd is not running)/)
    const status = await belfry('service status', { env })
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining('systemd is not running') })
  })
})

describe('the exit code', () => {
  it('distinguishes a wrong configuration from other failures', async () => {
    expect((await belfry('user list', { env: { ...env, PORT: 'http' } })).code).toBe(78)
  })
})
