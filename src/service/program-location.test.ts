import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findLocationProblem, locateProgram } from './program-location.ts'

/** A folder that stands for the root folder of a system. */
const root = mkdtempSync(join(tmpdir(), 'belfry-location-'))
afterAll(() => rmSync(root, { recursive: true }))

const NODE = '/usr/bin/node'

function createFile(path: string, mode = 0o755): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
  chmodSync(join(root, path), mode)
  return path
}

async function findProblem(programFolder: string, node = createFile(NODE)): Promise<string | undefined> {
  createFile(join(programFolder, 'bin/belfry.js'))
  return (await findLocationProblem(locateProgram(node, programFolder), root))?.message
}

describe('the location of the program', () => {
  it('is fine where every user can read it', async () => {
    expect(await findProblem('/usr/lib/node_modules/belfry')).toBeUndefined()
    expect(locateProgram(NODE, '/usr/lib/node_modules/belfry').needsHome).toBe(false)
  })

  it('must not be the cache of npx or a temporary folder', async () => {
    expect(await findProblem('/srv/npm/_npx/7f3a/node_modules/belfry')).toContain('cache of npx')
    expect(await findProblem('/tmp/belfry')).toBe('/tmp/belfry/bin/belfry.js is in a temporary folder.')
    expect(await findProblem('/tmpfiles/belfry')).toBeUndefined()
  })

  it('can be a home folder that is open to other users', async () => {
    expect(await findProblem('/home/ada/belfry')).toBeUndefined()
    expect(locateProgram(NODE, '/home/ada/belfry').needsHome).toBe(true)
    expect(locateProgram('/root/.nvm/bin/node', '/usr/lib/node_modules/belfry').needsHome).toBe(true)
    chmodSync(join(root, '/home/ada'), 0o700)
    expect(await findProblem('/home/ada/belfry')).toBe(
      "The user belfry can't read /home/ada/belfry/bin/belfry.js, because /home/ada is closed to other users.",
    )
  })

  it('is rejected if the Node executable is missing or closed to other users', async () => {
    const node = createFile('/opt/node/bin/node', 0o750)
    expect(await findProblem('/usr/lib/node_modules/belfry', node)).toContain('because /opt/node/bin/node is closed')
    expect(await findProblem('/usr/lib/node_modules/belfry', '/opt/no-node')).toContain('has no /opt/no-node')
  })
})
