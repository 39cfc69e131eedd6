import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commands } from '../commands.ts'
import { formatBashCompletion } from './bash.ts'
import { listCommandWords } from './command-words.ts'
import { formatFishCompletion } from './fish.ts'
import { formatZshCompletion } from './zsh.ts'

const words = listCommandWords(commands)

/** Returns the words that Bash suggests for the last typed word. */
function completeInBash(typedWords: string[]): string[] {
  const quotedWords = typedWords.map((word) => `'${word}'`).join(' ')
  const script = `${formatBashCompletion('belfry', words)}
COMP_WORDS=(belfry ${quotedWords}); COMP_CWORD=${typedWords.length}; _belfry; printf '%s\\n' "\${COMPREPLY[@]}"`
  // Node connects the standard input to a socket. Bash takes a socket for a remote login and would read bashrc files,
  // unless another shell started it.
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-u', '-c', script], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '')
}

describe('Bash completes', () => {
  it('commands', () => {
    const firstWords = new Set([...commands.map(({ name }) => name.split(' ')[0]), 'help'])
    expect(new Set(completeInBash(['']))).toEqual(firstWords)
    expect(completeInBash(['bac'])).toEqual(['backup'])
  })

  it('the second word of a command, also after an option', () => {
    expect(completeInBash(['user', ''])).toEqual(['create', 'delete', 'disable-2fa', 'list', 'password', 'reset-link'])
    expect(completeInBash(['--config', 'belfry.env', 'user', 'cr'])).toEqual(['create'])
  })

  it('options of the command and of every command', () => {
    expect(completeInBash(['user', 'list', '--'])).toEqual(['--config', '--help', '--json'])
    expect(completeInBash(['user', 'create', 'a@example.com', '--a'])).toEqual(['--admin'])
    expect(completeInBash(['--v'])).toEqual(['--version'])
  })

  it('nothing where a file or a value is expected, so that Bash suggests files', () => {
    expect(completeInBash(['restore', ''])).toEqual([])
    expect(completeInBash(['--config', ''])).toEqual([])
    expect(completeInBash(['key', 'list', '--user', ''])).toEqual([])
  })
})

describe.each([
  ['zsh', formatZshCompletion],
  ['fish', formatFishCompletion],
] as const)('the script for %s', (shell, format) => {
  const script = format('belfry', words)

  it('has every option of every command', () => {
    for (const { path, options } of words) {
      expect(script).toContain(path)
      for (const { name } of options) expect(script).toMatch(new RegExp(`--${name}\\b|-l ${name}\\b`))
    }
  })

  it.skipIf(spawnSync(shell, ['--version']).status !== 0)('has no syntax error', () => {
    const folder = mkdtempSync(join(tmpdir(), 'belfry-completion-'))
    const file = join(folder, 'script')
    writeFileSync(file, script)
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
