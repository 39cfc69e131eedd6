/** If root runs Belfry, PostgreSQL's user owns some folders in the data folder, and can put anything there. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, linkSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changeOwnerOfAll, createTestFolder, runsAsRoot } from '../../../tests/support/embedded.ts'
import { makePrivateFolder } from './data-folder.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }
const DAEMON = { uid: 1, gid: 1 }
const uidOf = (path: string) => lstatSync(path).uid

describe.skipIf(!runsAsRoot)('a folder that gets another owner', () => {
  function createFolders() {
    const root = createTestFolder({ mode: 0o755 })
    const folder = join(root, 'postgres')
    const outside = join(root, 'outside')
    for (const path of [join(folder, 'base'), outside]) mkdirSync(path, { recursive: true })
    for (const path of [join(folder, 'base', '1'), join(outside, 'file')]) writeFileSync(path, '')
    return { folder, outside, outsideFile: join(outside, 'file') }
  }

  it('gives that owner to its files, but not to targets of links or files of other users', () => {
    const { folder, outside, outsideFile } = createFolders()
    symlinkSync(outside, join(folder, 'base', 'soft'))
    symlinkSync(outsideFile, join(folder, 'soft'))
    expect(spawnSync('mkfifo', [join(folder, 'pipe')]).status).toBe(0)
    changeOwnerOfAll(folder, NOBODY)
    // A hard link to a file of root, and a file that root has created in the folder.
    linkSync(outsideFile, join(folder, 'base', 'hard'))
    writeFileSync(join(folder, 'base', 'of-root'), '')
    // A hard link to a file outside the folder that belongs to the folder's previous owner.
    writeFileSync(join(outside, 'theirs'), '')
    chownSync(join(outside, 'theirs'), NOBODY.uid, NOBODY.gid)
    linkSync(join(outside, 'theirs'), join(folder, 'theirs'))

    makePrivateFolder(folder, { kind: 'user', ...DAEMON })
    expect(['.', 'base', 'base/1', 'pipe'].map((name) => uidOf(join(folder, name)))).toEqual([1, 1, 1, 1])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect([outside, outsideFile, join(folder, 'base', 'of-root')].map(uidOf)).toEqual([0, 0, 0])
    expect(uidOf(join(outside, 'theirs'))).toBe(NOBODY.uid)
  })

  it('leaves the files in it unchanged if it has the right owner already', () => {
    const { folder, outsideFile } = createFolders()
    changeOwnerOfAll(folder, NOBODY)
    linkSync(outsideFile, join(folder, 'hard'))
    makePrivateFolder(folder, { kind: 'user', ...NOBODY })
    expect(uidOf(outsideFile)).toBe(0)
  })

  it('is refused if it is a link', () => {
    const { folder, outside } = createFolders()
    symlinkSync(outside, join(folder, 'run'))
    expect(() => makePrivateFolder(join(folder, 'run'), { kind: 'user', ...NOBODY })).toThrow(
      `${join(folder, 'run')} is a link. As root, Belfry doesn't follow links in its data folder.`,
    )
    expect(uidOf(outside)).toBe(0)
  })

  it('changes no file outside while its previous owner replaces folders with links', async () => {
    const { folder, outside, outsideFile } = createFolders()
    changeOwnerOfAll(folder, NOBODY)
    const script = `
      count=0
      while [ $count -lt 2000 ] && [ ! -e ../stop ]; do
        count=$((count + 1))
        mkdir -p a/b; ln -s ${outside} link; mv a old; mv link a; rm -rf old a
      done 2>/dev/null`
    const attacker = spawn('sh', ['-c', script], { cwd: folder, ...NOBODY, stdio: 'ignore' })
    const attackerEnded = once(attacker, 'exit')
    for (let round = 0; round < 100; round++) {
      makePrivateFolder(folder, { kind: 'user', ...(round % 2 === 0 ? DAEMON : NOBODY) })
    }
    writeFileSync(join(folder, '..', 'stop'), '')
    await attackerEnded
    expect([outside, outsideFile].map(uidOf)).toEqual([0, 0])
  })
})
