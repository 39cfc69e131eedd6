/**
 * Installs Belfry from a clone: `npm ci && npm start`. With BELFRY_TEST_CLEAN_CHECKOUT=1, as in `.ci/run`, this folder itself is a clean
 * checkout in which `npm ci` has run, so the test only starts the server.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../support/free-port.ts'
import { listMissing } from './support/requirements.ts'
import { createInstallFolder, measureMegabytes, printMeasurement, run, start } from './support/run.ts'
import { installationEnv, readVisits, useInstallation, waitUntilReady } from './support/use-installation.ts'

const root = resolve(import.meta.dirname, '../..')
const isCleanCheckout = process.env['BELFRY_TEST_CLEAN_CHECKOUT'] === '1'

describe.skipIf(listMissing('clone.test.ts').length > 0)('a clone', () => {
  const folder = createInstallFolder('clone')
  const clone = isCleanCheckout ? root : join(folder.path, 'belfry')
  afterAll(() => folder.remove())

  it('starts with two commands and keeps its data', async () => {
    const startedAt = Date.now()
    if (!isCleanCheckout) {
      run('git', ['clone', '-q', '--no-hardlinks', root, clone], { cwd: folder.path })
      run('npm', ['ci'], { cwd: clone })
    }
    // npm doesn't print the output of the script that builds the pages and the server.
    for (const path of ['web/dist/index.html', 'dist/server/main.js'])
      expect([path, existsSync(join(clone, path))]).toEqual([path, true])
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const env = {
      ...installationEnv,
      PORT: String(port),
      ...(isCleanCheckout && { BELFRY_DATA: join(folder.path, 'data') }),
    }
    const server = start('npm', ['start'], { cwd: clone, env })
    await useInstallation(url)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const megabytes = measureMegabytes(join(clone, 'node_modules'))
    await server.stop()

    const restartedServer = start('npm', ['start'], { cwd: clone, env })
    await waitUntilReady(url)
    expect(await readVisits(url)).toBe(1)
    await restartedServer.stop()
    const omission = isCleanCheckout ? ' without npm ci' : ''
    printMeasurement(`clone: ${seconds} s to the first visit and check${omission}; node_modules takes ${megabytes} MB`)
  })
})
