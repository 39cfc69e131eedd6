import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canRedirect, findOwnerToSwitchTo } from './privileges.ts'

const OTHER = { uid: 4_000_000, gid: 4_000_000 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-privileges-'))
  mkdirSync(join(folder, 'root', 'folder'), { recursive: true })
  mkdirSync(join(folder, 'theirs', 'folder'), { recursive: true })
  writeFileSync(join(folder, 'root', 'file'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const giveToOtherUser = (name: string) => lchownSync(join(folder, name), OTHER.uid, OTHER.gid)

describe.skipIf(process.getuid?.() !== 0)('the user to whom root switches', () => {
  it('is the owner of the folder, or of the folder that it will be created in', () => {
    giveToOtherUser('theirs')
    for (const name of ['theirs', 'theirs/missing', 'theirs/missing/data']) {
      expect(findOwnerToSwitchTo(join(folder, name))).toMatchObject(OTHER)
    }
    for (const name of ['root', 'missing', 'root/file', 'root/file/data']) {
      expect(findOwnerToSwitchTo(join(folder, name))).toBeUndefined()
    }
  })

  it('is the owner of the folder that a link of root leads to', () => {
    symlinkSync('root', join(folder, 'link'))
    expect(findOwnerToSwitchTo(join(folder, 'link'))).toBeUndefined()
    symlinkSync('theirs', join(folder, 'second'))
    giveToOtherUser('theirs')
    expect(findOwnerToSwitchTo(join(folder, 'second'))).toMatchObject(OTHER)
  })

  it('is the owner of the folder, even if other users can replace the folder, unless root owns it', () => {
    giveToOtherUser('theirs/folder')
    chmodSync(join(folder, 'theirs'), 0o777)
    expect(findOwnerToSwitchTo(join(folder, 'theirs', 'folder'))).toMatchObject(OTHER)
  })
})

describe.skipIf(process.getuid?.() !== 0)('root refuses a folder of root', () => {
  const getOtherFolder = () => join(folder, 'theirs')
  const theirsError = (path: string) =>
    `User ${OTHER.uid} can replace the data folder ${path} of root, because ${getOtherFolder()} belongs to that user.`

  it('below a folder of another user', () => {
    const data = join(getOtherFolder(), 'folder')
    expect(findOwnerToSwitchTo(data)).toBeUndefined()
    giveToOtherUser('theirs')
    expect(() => findOwnerToSwitchTo(data)).toThrow(theirsError(data))
  })

  it('that another user leads to with a link, at the end, in the middle, or after a link of root', () => {
    giveToOtherUser('theirs')
    symlinkSync('../root', join(getOtherFolder(), 'app'))
    giveToOtherUser('theirs/app')
    symlinkSync('theirs/app', join(folder, 'link'))
    for (const name of ['theirs/app', 'theirs/app/folder', 'link', 'link/folder']) {
      expect(() => findOwnerToSwitchTo(join(folder, name)), name).toThrow(theirsError(join(folder, name)))
    }
    symlinkSync('root', join(folder, 'end'))
    giveToOtherUser('end')
    expect(() => findOwnerToSwitchTo(join(folder, 'end'))).toThrow(
      `because ${join(folder, 'end')} belongs to that user`,
    )
  })

  it('if everybody or a group can write to a folder above, unless it is sticky', () => {
    const data = join(getOtherFolder(), 'folder')
    const message = `Other users can replace the data folder ${data} of root, because they can write to ${getOtherFolder()}.`
    chmodSync(getOtherFolder(), 0o777)
    expect(() => findOwnerToSwitchTo(data)).toThrow(message)
    chmodSync(getOtherFolder(), 0o1777)
    expect(findOwnerToSwitchTo(data)).toBeUndefined()
    chmodSync(getOtherFolder(), 0o775)
    expect(findOwnerToSwitchTo(data)).toBeUndefined()
    chownSync(getOtherFolder(), 0, OTHER.gid)
    expect(() => findOwnerToSwitchTo(data)).toThrow(message)
  })
})

describe.skipIf(process.getuid?.() !== 0)('a user can decide where a path leads to', () => {
  const isRedirectable = (name: string) => canRedirect(OTHER, join(folder, name))

  it('if a folder on the way belongs to that user', () => {
    expect(isRedirectable('theirs/folder/file')).toBe(false)
    giveToOtherUser('theirs')
    expect(isRedirectable('theirs/folder/file')).toBe(true)
    expect(isRedirectable('theirs/missing')).toBe(true)
    expect(isRedirectable('root/file')).toBe(false)
    expect(isRedirectable('root/missing/missing')).toBe(false)
  })

  it('if a link leads through a folder of that user', () => {
    giveToOtherUser('theirs')
    symlinkSync('../theirs/folder', join(folder, 'root', 'link'))
    symlinkSync(join(folder, 'root', 'folder'), join(folder, 'root', 'safe'))
    // This link does not lead to the folder `root`, although its text looks like it: the link is followed before the two dots.
    symlinkSync('link/../file', join(folder, 'root', 'dots'))
    expect(isRedirectable('root/link/file')).toBe(true)
    expect(isRedirectable('root/safe/file')).toBe(false)
    expect(isRedirectable('root/dots')).toBe(true)
    symlinkSync('circle', join(folder, 'root', 'circle'))
    expect(isRedirectable('root/circle/file')).toBe(true)
  })

  it('if a folder is writable for that user, except for files of other users in a sticky folder', () => {
    chmodSync(join(folder, 'root'), 0o777)
    expect(isRedirectable('root/file')).toBe(true)
    chmodSync(join(folder, 'root'), 0o1777)
    expect(isRedirectable('root/file')).toBe(false)
    expect(isRedirectable('root/new')).toBe(false)
    expect(isRedirectable('root/missing/new')).toBe(true)
    giveToOtherUser('root/file')
    expect(isRedirectable('root/file')).toBe(true)
    chmodSync(join(folder, 'theirs'), 0o775)
    expect(isRedirectable('theirs/file')).toBe(false)
    // The user may be in other groups than that of the data folder.
    for (const gid of [OTHER.gid, OTHER.gid + 1]) {
      chownSync(join(folder, 'theirs'), 0, gid)
      expect(isRedirectable('theirs/file')).toBe(true)
    }
  })

  it('but not if only the file belongs to that user', () => {
    giveToOtherUser('root/file')
    expect(isRedirectable('root/file')).toBe(false)
  })
})

describe.skipIf(process.getuid?.() !== 0)('a process of root that has switched to another user', () => {
  // Node opens the debugger in another thread, so the script waits a moment before it looks for a debugger.
  const script = `
    import inspector from 'node:inspector'
    import { switchToOwnerOf } from ${JSON.stringify(new URL('./privileges.ts', import.meta.url))}
    process.on('SIGUSR2', () => setTimeout(() => {
      console.log(inspector.url() ?? 'no debugger')
      process.exit()
    }, 100))
    // It throws if that user can't read the checkout, but changes the user before.
    try { switchToOwnerOf(process.argv[1]) } catch {}
    console.log(process.getuid())
    process.stdin.resume()`

  it.each([{ flags: ['--inspect-port=127.0.0.1:0'] }, { flags: ['--inspect=127.0.0.1:0'] }])(
    'has no debugger, also after a signal of that user, with $flags',
    async ({ flags }) => {
      giveToOtherUser('theirs')
      const flagsWithPort = ['--inspect-port=127.0.0.1:0', ...flags, '--input-type=module', '-e', script]
      const child = spawn(process.execPath, [...flagsWithPort, join(folder, 'theirs')], { stdio: 'pipe' })
      const output = text(child.stdout)
      await once(child.stdout, 'data')
      child.kill('SIGUSR1')
      child.kill('SIGUSR2')
      expect(await output).toBe(`${OTHER.uid}\nno debugger\n`)
    },
  )
})
