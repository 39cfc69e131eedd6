import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withTemporaryFolder } from '../../packaging/temporary-folder.ts'

const packagingFolder = resolve(import.meta.dirname, '../../packaging')

/** Presses Ctrl-C when the script has printed the path of its folder: the terminal sends SIGINT to the whole process group. */
async function interrupt(work: string) {
  const script = `
    import { execute } from '${packagingFolder}/execute.ts'
    import { withTemporaryFolder } from '${packagingFolder}/temporary-folder.ts'
    await withTemporaryFolder('belfry-interrupted-', async (folder) => {
      execute('touch', ['file'], folder)
      console.log(folder)
      ${work}
    })
    console.log('continued')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { detached: true, timeout: 20_000 })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const childExit = once(child, 'close')
  await once(child.stdout, 'data')
  const folder = output.trim()
  expect(existsSync(folder), errors).toBe(true)
  process.kill(-(child.pid ?? Number.NaN), 'SIGINT')
  const [code] = await childExit
  return { code, folder, output, errors }
}

describe('a temporary folder', () => {
  it('is removed after the work, and after an error', async () => {
    const folders: string[] = []
    const work = async (folder: string) => {
      folders.push(folder)
      writeFileSync(join(folder, 'file'), '')
      if (folders.length === 2) throw new Error('The disk is full.')
      return folder
    }
    expect(await withTemporaryFolder('belfry-temporary-', work)).toBe(folders[0])
    await expect(withTemporaryFolder('belfry-temporary-', work)).rejects.toThrow('The disk is full.')
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false])
  })

  it.each([
    ['a program runs', `execute('sleep', ['10'], folder)`],
    ['no program runs', 'await new Promise((resolve) => setTimeout(resolve, 10_000))'],
  ])('is removed on Ctrl-C while %s, and nothing else happens', async (_situation, work) => {
    const { code, folder, output, errors } = await interrupt(work)
    expect({ code, output, errors }).toEqual({ code: 130, output: `${folder}\n`, errors: '' })
    expect(existsSync(folder)).toBe(false)
  })
})
