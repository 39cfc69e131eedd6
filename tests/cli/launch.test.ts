import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCacheFolder } from '../../bin/compile-cache.js'
import { findMainModule, findPackagedNode, planLaunch, rootFlag, serverFlag } from '../../bin/launch.js'
import { findPackageFolder, packageFolder } from '../../src/lib/package-folder.ts'
import { formatCommandFor } from '../../src/lib/program.ts'

const root = resolve(import.meta.dirname, '../..')

describe('the launcher', () => {
  const situation = {
    version: '26.10.0',
    node: '/usr/bin/node',
    nodeArguments: [],
    nodeOptions: '',
    isRoot: false,
    canReplace: true,
    packagedNode: '/packages/node',
    args: ['serve'],
  }

  it('runs a command with a recent Node', () => {
    expect(planLaunch({ ...situation, args: ['backup'] })).toEqual({ kind: 'run' })
    expect(planLaunch({ ...situation, version: '28.0.0', args: ['backup'], canReplace: false })).toEqual({
      kind: 'run',
    })
  })

  it.each([[[]], [['serve']], [['--config', 'belfry.env']]])(
    'starts the server with the flag that saves memory, for the arguments %j',
    (args) => {
      const plan = { kind: 'replace', node: '/usr/bin/node', nodeArguments: [serverFlag] }
      expect(planLaunch({ ...situation, args })).toEqual(plan)
      expect(planLaunch({ ...situation, args, nodeArguments: [serverFlag] })).toEqual({ kind: 'run' })
      expect(planLaunch({ ...situation, args, nodeOptions: '--max-semi-space-size=64' })).toEqual({ kind: 'run' })
      expect(planLaunch({ ...situation, args, canReplace: false })).toEqual({ kind: 'run' })
    },
  )

  it('becomes or supervises a process with the packaged Node if this Node is older', () => {
    const target = { node: '/packages/node', nodeArguments: [serverFlag] }
    expect(planLaunch({ ...situation, version: '24.1.0' })).toEqual({ kind: 'replace', ...target })
    expect(planLaunch({ ...situation, version: '20.20.2', canReplace: false })).toEqual({
      kind: 'supervise',
      ...target,
    })
    expect(planLaunch({ ...situation, version: '20.20.2', packagedNode: undefined })).toEqual({ kind: 'refuse' })
  })

  it('starts Node for root with the flag that keeps signals from opening the debugger', () => {
    const nodeArguments = [serverFlag, rootFlag]
    for (const version of ['24.1.0', '26.10.0'])
      expect(planLaunch({ ...situation, version, isRoot: true })).toMatchObject({ kind: 'replace', nodeArguments })
  })

  it.runIf(process.platform === 'linux')('finds the Node that npm installed', () => {
    const { stdout } = spawnSync(findPackagedNode() ?? '', ['--version'], { encoding: 'utf8' })
    expect(stdout).toMatch(/^v26\./)
  })
})

describe('an older Node', () => {
  const hasPackagedNode = findPackagedNode() !== undefined

  /** Runs the command with a Node that pretends to be older. `changes` lists more properties of `process` that it replaces. */
  function runAsOlderNode(command: string, changes = '') {
    const pretendScript = `Object.defineProperties(process, {
      versions: { value: { ...process.versions, node: '20.20.2' } }, ${changes} })`
    const options = ['--import', `data:text/javascript,${encodeURIComponent(pretendScript)}`]
    return spawnSync(process.execPath, [...options, join(root, 'bin/belfry.js'), command], { encoding: 'utf8' })
  }

  it.runIf(hasPackagedNode)('starts Belfry with the Node that npm installed', () => {
    const { status, stdout, stderr } = runAsOlderNode('help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('run the server')
  })

  it.runIf(hasPackagedNode)('passes on the exit code and the output of a process that it supervises', () => {
    const { status, stdout, stderr } = runAsOlderNode('dance', 'execve: { value: undefined }')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Unknown command: dance')
  })

  it('prints instructions if npm has installed no newer Node', () => {
    const { status, stderr } = runAsOlderNode('help', "platform: { value: 'darwin' }")
    expect(status).toBe(1)
    expect(stderr).toContain('Belfry needs Node 26; this is Node 20.20.2.')
    expect(stderr).toContain('Install Node 26')
  })
})

describe('the module that the launcher loads', () => {
  let folder: string
  const path = (name: string) => join(folder, name)
  /** `seconds` is the modification time of the file. */
  function write(name: string, seconds: number): void {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), '')
    utimesSync(path(name), seconds, seconds)
  }
  const touch = (name: string, seconds: number) => utimesSync(path(name), seconds, seconds)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'belfry-launch-'))
    write('package-lock.json', 100)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is the bundle in a package without sources', () => {
    write('dist/server/main.js', 50)
    expect(findMainModule(folder)).toBe(path('dist/server/main.js'))
  })

  it('is the bundle as long as nothing but a test is newer', () => {
    write('src/main.ts', 100)
    write('src/lib/log.ts', 100)
    write('src/lib/log.test.ts', 300)
    expect(findMainModule(folder)).toBe(path('src/main.ts'))
    write('dist/server/main.js', 200)
    for (const name of ['src', 'src/lib']) touch(name, 100)
    expect(findMainModule(folder)).toBe(path('dist/server/main.js'))
    for (const name of ['src/lib/log.ts', 'src/lib', 'src', 'package-lock.json']) {
      touch(name, 201)
      expect(findMainModule(folder)).toBe(path('src/main.ts'))
      touch(name, 100)
    }
  })

  it('finds its files in the folder that contains package.json, in sources and in a bundle', () => {
    expect(packageFolder).toBe(root)
    expect(findPackageFolder(join(root, 'dist', 'server'))).toBe(root)
    expect(() => findPackageFolder('/')).toThrow('No package.json')
  })

  it('names commands as people type them', () => {
    expect([formatCommandFor(true, 'backup'), formatCommandFor(true)]).toEqual(['belfry backup', 'belfry'])
    expect([formatCommandFor(false, 'backup'), formatCommandFor(false)]).toEqual([
      'npm run belfry -- backup',
      'npm start',
    ])
  })
})

describe('the cache of compiled code', () => {
  const user = process.getuid?.() ?? 0
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'belfry-cache-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is in a folder of this user alone, also at the next start', () => {
    const cache = createCacheFolder(folder, user) ?? ''
    expect(statSync(cache).mode & 0o777).toBe(0o700)
    expect(createCacheFolder(folder, user)).toBe(cache)
  })

  it('is not used if another user could have prepared it', () => {
    const cache = createCacheFolder(folder, user) ?? ''
    chmodSync(cache, 0o777)
    expect(createCacheFolder(folder, user)).toBeUndefined()
    rmSync(cache, { recursive: true })
    symlinkSync(folder, cache)
    expect(createCacheFolder(folder, user)).toBeUndefined()
    // This folder belongs to somebody else.
    mkdirSync(join(folder, `belfry-compile-cache-${user + 1}`))
    expect(createCacheFolder(folder, user + 1)).toBeUndefined()
  })

  it('is not used if it could not be created', () => {
    expect(createCacheFolder(join(folder, 'missing'), user)).toBeUndefined()
  })
})
