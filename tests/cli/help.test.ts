import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { belfry, belfryProcess, startCommand, waitForResult } from './support.ts'

const program = resolve(import.meta.dirname, '../../bin/belfry.js')
const env = { BELFRY_DATA: '/nowhere' }

describe('the command line', () => {
  it('lists every command', async () => {
    const { code, stdout } = await belfryProcess(['help'], { env })
    expect(code).toBe(0)
    const text = joinLines(stdout)
    for (const { name, summary } of commands) expect(text).toContain(` ${name} ${summary}`)
    expect(listLongLines(stdout)).toEqual([])
  })

  it.each(commands.map((command) => [command.name, command] as const))(
    'explains the command %s',
    async (name, command) => {
      const { code, stdout, stderr } = await belfry([...name.split(' '), '--help'], { env })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const text = joinLines(stdout)
      expect(text).toContain(`npm run belfry -- ${command.usage} ${command.summary}`)
      expect(text).toContain(joinLines(command.details ?? ''))
      expect(listLongLines(stdout)).toEqual([])
    },
  )

  it('rejects an unknown command', async () => {
    const { code, stderr } = await belfry('dance', { env })
    expect(code).toBe(2)
    expect(stderr).toContain('Unknown command: dance')
  })

  it.each([
    ['bakcup', 'backup'],
    ['usr list --json', 'user list'],
    ['user craete a@example.com', 'user create'],
    ['hlep', 'help'],
  ])('suggests a command for %s', async (typed, meant) => {
    const { code, stdout, stderr } = await belfry(typed, { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`Did you mean \`npm run belfry -- ${meant}\`?`)
  })

  it('prints the version, and explains a command, even if the settings are wrong', async () => {
    const wrongEnv = { ...env, PORT: 'x' }
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(await belfry('--version', { env: wrongEnv })).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect((await belfry('help user create', { env: wrongEnv })).stdout).toContain('makes it an admin')
    expect((await belfry('completion bash', { env: wrongEnv })).stdout).toContain('complete -o default')
  })

  it('takes options without a command as options of the server', async () => {
    const { code, stderr } = await belfry('--loud', { env })
    expect(code).toBe(2)
    expect(stderr).toContain('npm run belfry -- serve')
  })

  it('lists the commands that start with a word', async () => {
    const { code, stdout } = await belfry('user', { env })
    expect(code).toBe(2)
    expect(stdout).toContain('user password <email>')
  })

  it('rejects unknown arguments and options', async () => {
    const unknownArgumentResult = await belfry('user list everybody', { env })
    expect(unknownArgumentResult.code).toBe(2)
    expect(unknownArgumentResult.stderr).toContain('Unexpected argument: everybody')
    const unknownOptionResult = await belfry('user list --loud', { env })
    expect(unknownOptionResult.code).toBe(2)
    expect(unknownOptionResult.stderr).toMatch(/^Unknown option: --loud\n/)
    const misspelledOptionResult = await belfry('user list --jsno', { env })
    expect(misspelledOptionResult.stderr).toMatch(/^Unknown option: --jsno\. Did you mean --json\?\n/)
  })

  it('prints no error if the program that reads its output exits early', async () => {
    const child = startCommand(['help'], { env })
    child.stdout?.destroy()
    const { code, stderr } = await waitForResult(child)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('says that its working folder was deleted', () => {
    const script = 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$0" "$1" config'
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^The working folder doesn't exist anymore\.\n/)
  })

  it.skipIf(!existsSync('/dev/full'))("fails if its output can't be written", () => {
    const fullDisk = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, [program, 'help'], {
      encoding: 'utf8',
      stdio: ['ignore', fullDisk, 'pipe'],
    })
    closeSync(fullDisk)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'The output is incomplete: ENOSPC: no space left on device, write\n',
    })
  })
})

/** Help texts are wrapped, so tests compare their words. */
const joinLines = (text: string) => text.replace(/\s+/g, ' ')

const listLongLines = (text: string) => text.split('\n').filter((line) => line.length > 80)
